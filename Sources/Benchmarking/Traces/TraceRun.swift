internal import Dispatch
internal import Settee
internal import StorageProtocol

/// A replay in progress.
final class TraceRun {
    private let replay: TraceReplay
    private let actors: [Int: TraceActor]
    private let measure: (TraceOperation, UInt64) -> Void
    private(set) var summary = TraceReplay.Summary()

    /// Ends a transaction that was rolled back.
    private struct RolledBack: Error {}

    init(_ replay: TraceReplay, _ actors: [Int: TraceActor], _ measure: @escaping (TraceOperation, UInt64) -> Void) {
        self.replay = replay
        self.actors = actors
        self.measure = measure
        summary.leftOut = replay.script.leftOut
    }

    private static var now: UInt64 { DispatchTime.now().uptimeNanoseconds }

    /// How many documents are made in one transaction.
    private static let preparedAtOnce = 1000

    func prepare() throws {
        for (number, actor) in actors.sorted(by: { $0.key < $1.key }) {
            let documents = replay.needs.documents.filter { $0.place.database == number }
            for start in stride(from: 0, to: documents.count, by: TraceRun.preparedAtOnce) {
                try actor.database.inTransaction {
                    for document in documents[start...].prefix(TraceRun.preparedAtOnce) {
                        // It is there already where two numbers of a trace are one database.
                        if try accepts({ try actor.make(document) }) { summary.prepared += 1 }
                    }
                }
            }
            for view in replay.needs.views where view.database == number {
                _ = try accepts { try actor.define(view.hash) }
            }
        }
    }

    /// - Returns: whether the database did the work. What it refuses is counted.
    private func accepts(_ work: () throws -> Void) throws -> Bool {
        do {
            try work()
            return true
        } catch let error as StorageError {
            guard !error.code.isStorageFailure else { throw error }
            summary.refused += 1
            return false
        }
    }

    func perform(_ steps: [TraceScript.Step]) throws {
        for step in steps {
            switch step {
            case .operation(let index): try perform(replay.events[index])
            case .transaction(let database, let steps, let commits):
                guard let actor = actors[database] else { continue }
                try transact(actor, steps, commits: commits)
            case .snapshot(let database, let steps):
                guard let actor = actors[database] else { continue }
                let began = TraceRun.now
                try actor.database.read { _ in
                    end(.snapshot, since: began)
                    try perform(steps)
                }
                end(.snapshotEnd, since: began)
            }
        }
    }

    private func end(_ operation: TraceOperation, since began: UInt64) {
        let now = TraceRun.now
        measure(operation, now - began)
        summary.operations[operation, default: 0] += 1
    }

    private func transact(_ actor: TraceActor, _ steps: [TraceScript.Step], commits: Bool) throws {
        var began = TraceRun.now
        do {
            try actor.database.inTransaction {
                end(.begin, since: began)
                try perform(steps)
                began = TraceRun.now
                guard commits else { throw RolledBack() }
            }
        } catch is RolledBack {
            return end(.rollback, since: began)
        } catch let error as StorageError {
            guard !error.code.isStorageFailure else { throw error }
            summary.refused += 1
            return
        }
        end(.commit, since: began)
    }

    private func perform(_ event: TraceEvent) throws {
        guard let actor = actors[event.database] else { return }
        var prepared: TraceActor.Work?
        guard try accepts({ prepared = try actor.work(for: event) }) else { return }
        guard let work = prepared else {
            summary.leftOut += 1
            return
        }
        let began = TraceRun.now
        guard try accepts(work) else { return }
        end(event.operation, since: began)
        actor.finish(event)
    }
}
