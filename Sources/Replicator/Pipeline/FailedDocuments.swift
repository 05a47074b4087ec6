internal import SetteeDocumentValues
internal import StorageProtocol

/// The documents that were not passed on, each with the reason, and with what is needed to try again.
final class FailedDocuments: Sendable {
    struct Failure: Sendable {
        var event: ReplicatedDocument
        var leaves: [String]

        /// Whether it may be a conflict that could not be resolved.
        var isOfConflict: Bool {
            event.direction == .pull && (event.error?.code == .callback || event.error?.code == .conflictPersists)
        }
    }

    /// What the kept list does not have yet.
    enum Change: Sendable {
        /// - Parameter number: later failures have higher ones.
        case failed(Failure, number: Int)
        case passedOn
    }

    /// IDs are compared by their bytes.
    fileprivate struct Key: Hashable {
        var id: [UInt8]
        var direction: ReplicatedDocument.Direction
    }

    fileprivate struct State {
        var failures: [Key: (failure: Failure, number: Int)] = [:]
        /// In the order in which they failed first.
        var order: [Key] = []
        /// That of the last failure.
        var number = 0
        var changes: [Key: Change] = [:]
        /// Whether those of earlier runs are known.
        var isLoaded = false
    }

    private let state = Locked(State())
    static let most = 1_000
    private static let mostLeaves = 100

    var all: [ReplicatedDocument] { failures.map(\.event) }

    /// In the order in which they failed first.
    var failures: [Failure] { state.withLock { state in state.order.compactMap { state.failures[$0]?.failure } } }

    /// The number of the last failure.
    var lastNumber: Int { state.withLock { $0.number } }

    var isLoaded: Bool { state.withLock { $0.isLoaded } }

    /// Takes the failures of earlier runs.
    func load(_ earlier: [Failure]) {
        state.withLock { state in
            guard !state.isLoaded else { return }
            state.isLoaded = true
            var order: [Key] = []
            for failure in earlier {
                let key = Key(failure)
                guard state.failures[key] == nil, state.changes[key] == nil else { continue }
                state.failures[key] = (failure, 0)
                order.append(key)
            }
            state.order = order + state.order
            state.shorten()
        }
    }

    func add(_ failure: Failure) {
        let key = Key(failure)
        state.withLock { state in
            var failure = failure
            if let old = state.failures[key]?.failure {
                failure.leaves += old.leaves.filter { !failure.leaves.contains($0) }
                failure.leaves.removeLast(max(0, failure.leaves.count - FailedDocuments.mostLeaves))
            } else {
                state.order.append(key)
            }
            state.number += 1
            state.failures[key] = (failure, state.number)
            state.changes[key] = .failed(failure, number: state.number)
            state.shorten()
        }
    }

    /// Documents were passed on after all.
    ///
    /// - Parameter conflicts: whether those stay whose conflict could not be resolved.
    func remove(
        _ ids: some Sequence<String>,
        _ direction: ReplicatedDocument.Direction,
        keeping conflicts: Bool = false
    ) {
        state.withLock { state in
            guard !state.failures.isEmpty else { return }
            for id in ids {
                let key = Key(id: Array(id.utf8), direction: direction)
                if conflicts, state.failures[key]?.failure.isOfConflict == true { continue }
                state.remove(key)
            }
        }
    }

    /// Removes those of `failed` that have not failed again.
    ///
    /// - Parameter number: that of the last failure before.
    func remove(_ failed: [Failure], after number: Int) {
        state.withLock { state in
            for key in failed.map({ Key($0) }) where (state.failures[key]?.number ?? .max) <= number {
                state.remove(key)
            }
        }
    }

    /// What has changed since the last call, by the bytes of the documents' IDs.
    func takeChanges(_ direction: ReplicatedDocument.Direction) -> [[UInt8]: Change] {
        state.withLock { state in
            var taken: [[UInt8]: Change] = [:]
            for (key, change) in state.changes where key.direction == direction {
                taken[key.id] = change
                state.changes[key] = nil
            }
            return taken
        }
    }

    /// Gives back changes that could not be written.
    func putBack(_ changes: [[UInt8]: Change], _ direction: ReplicatedDocument.Direction) {
        state.withLock { state in
            for (id, change) in changes {
                let key = Key(id: id, direction: direction)
                if state.changes[key] == nil { state.changes[key] = change }
            }
        }
    }
}

extension FailedDocuments.Key {
    fileprivate init(_ failure: FailedDocuments.Failure) {
        self.init(id: Array(failure.event.documentID.utf8), direction: failure.event.direction)
    }
}

extension FailedDocuments.State {
    fileprivate mutating func remove(_ key: FailedDocuments.Key) {
        guard failures.removeValue(forKey: key) != nil else { return }
        order.removeAll { $0 == key }
        changes[key] = .passedOn
    }

    /// Forgets the oldest ones. The kept list does so by itself.
    fileprivate mutating func shorten() {
        while order.count > FailedDocuments.most {
            let key = order.removeFirst()
            failures[key] = nil
            changes[key] = nil
        }
    }
}
