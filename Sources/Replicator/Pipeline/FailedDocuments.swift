internal import SetteeDocumentValues
internal import StorageProtocol

/// The documents that were not passed on, each with the reason, and with what is needed to try again.
final class FailedDocuments: Sendable {
    struct Failure: Sendable {
        var event: ReplicatedDocument
        var leaves: [String]
    }

    private struct Key: Hashable {
        var id: String
        var direction: ReplicatedDocument.Direction
    }

    private struct State {
        var failures: [Key: Failure] = [:]
        /// In the order in which they failed first.
        var order: [Key] = []
    }

    private let state = Locked(State())
    private static let most = 1_000

    var all: [ReplicatedDocument] { state.withLock { state in state.order.compactMap { state.failures[$0]?.event } } }

    func add(_ failure: Failure) {
        let key = Key(id: failure.event.documentID, direction: failure.event.direction)
        state.withLock { state in
            if let old = state.failures[key] {
                state.failures[key] = failure
                for leaf in old.leaves where !failure.leaves.contains(leaf) { state.failures[key]?.leaves.append(leaf) }
                return
            }
            state.failures[key] = failure
            state.order.append(key)
            if state.order.count > FailedDocuments.most { state.failures[state.order.removeFirst()] = nil }
        }
    }

    /// A document was passed on after all.
    func remove(_ id: String, _ direction: ReplicatedDocument.Direction) {
        let key = Key(id: id, direction: direction)
        state.withLock { state in
            guard state.failures.removeValue(forKey: key) != nil else { return }
            state.order.removeAll { $0 == key }
        }
    }

    /// Takes all out.
    func take() -> [Failure] {
        state.withLock { state in
            defer { state = State() }
            return state.order.compactMap { state.failures[$0] }
        }
    }

    func putBack(_ failures: [Failure]) { for failure in failures { add(failure) } }
}
