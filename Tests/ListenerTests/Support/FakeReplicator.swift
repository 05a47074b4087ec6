internal import SetteeDocumentValues
internal import SetteeListener
internal import StorageProtocol

/// Keeps the orders that come, and has their replications end when the test says so.
final class FakeReplicator: ListenerReplicator {
    let orders = Locked<[ReplicationOrder]>([])
    let replications = Locked<[FakeReplication]>([])
    /// The URLs of sources that it was asked to check.
    let checked = Locked<[String]>([])
    private let failure: StorageError?
    private let endsAtOnce: Bool
    private let sourceFailure: StorageError?

    init(endsAtOnce: Bool = true, failure: StorageError? = nil, sourceFailure: StorageError? = nil) {
        self.endsAtOnce = endsAtOnce
        self.failure = failure
        self.sourceFailure = sourceFailure
    }

    func check(_ source: ReplicationOrder.Remote) async throws {
        checked.withLock { $0.append(source.url) }
        if let sourceFailure { throw sourceFailure }
    }

    func replication(_ order: ReplicationOrder) throws -> any ListenerReplication {
        let replication = FakeReplication(failure: failure)
        if endsAtOnce { replication.end() }
        orders.withLock { $0.append(order) }
        replications.withLock { $0.append(replication) }
        return replication
    }
}

final class FakeReplication: ListenerReplication {
    private struct State {
        var isOver = false
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Locked(State())
    private let failure: StorageError?

    init(failure: StorageError?) { self.failure = failure }

    var figures: ReplicationFigures {
        var figures = ReplicationFigures(sessionID: "5e551011", startSequence: 2, lastSequence: "7-opaque")
        figures.revisionsChecked = 6
        figures.missingRevisions = 5
        figures.documentsRead = 4
        figures.documentsWritten = 3
        figures.documentFailures = 1
        return figures
    }

    func run() async throws {
        await withCheckedContinuation { continuation in
            let isOver = state.withLock {
                if !$0.isOver { $0.waiting.append(continuation) }
                return $0.isOver
            }
            if isOver { continuation.resume() }
        }
        if let failure { throw failure }
    }

    func stop() async { end() }

    func end() {
        let waiting = state.withLock { state in
            state.isOver = true
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
    }
}
