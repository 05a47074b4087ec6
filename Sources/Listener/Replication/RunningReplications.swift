internal import SetteeCouchProtocol
internal import SetteeDocumentValues
internal import StorageProtocol

/// The replications that clients have ordered, until they end.
final class RunningReplications: Sendable {
    /// One of them.
    struct Entry: Sendable {
        let replication: any ListenerReplication
        /// In seconds since 1970.
        let began: Int64
        fileprivate let task: Task<Void, any Error>
        fileprivate let cancelled = Flag()

        /// Whether a client has cancelled it.
        var isCancelled: Bool { cancelled.isSet.withLock { $0 } }

        /// Returns when it has ended.
        func wait() async throws { try await task.value }
    }

    fileprivate final class Flag: Sendable {
        let isSet = Locked(false)
    }

    private struct State {
        var entries: [String: Entry] = [:]
        var isStopped = false
    }

    private let state = Locked(State())
    private let tasks: ActiveTasks
    private let limit: Int

    init(tasks: ActiveTasks, limit: Int) {
        self.tasks = tasks
        self.limit = limit
    }

    /// Begins a replication, unless one with its ID runs.
    ///
    /// - Parameter make: Makes it; called at most once.
    /// - Returns: The one that runs, and whether it is the new one.
    /// - Throws: `service_unavailable` (503) for one too many, and after `stop`; what `make` throws.
    func begin(
        _ id: String,
        as task: ActiveTasks.Entry,
        _ make: () throws -> any ListenerReplication
    ) throws -> (entry: Entry, isNew: Bool) {
        try state.withLock { state in
            if let entry = state.entries[id] { return (entry, false) }
            guard !state.isStopped, state.entries.count < limit else { throw CouchError.unavailable }
            let replication = try make()
            var row = task
            row.details = { [began = task.details] in
                var details = began?() ?? [:]
                details.add(replication.figures)
                return details
            }
            let number = tasks.begin(row)
            let entry = Entry(
                replication: replication,
                began: task.began,
                task: Task {
                    defer {
                        self.tasks.end(number)
                        self.remove(id)
                    }
                    try await replication.run()
                }
            )
            state.entries[id] = entry
            return (entry, true)
        }
    }

    private func remove(_ id: String) { state.withLock { state in state.entries[id] = nil } }

    /// Whether `stop` was called.
    var isStopped: Bool { state.withLock { $0.isStopped } }

    /// Stops a replication and returns when it has ended.
    ///
    /// - Returns: False if none with this ID runs.
    func cancel(_ id: String) async -> Bool {
        guard let entry = state.withLock({ $0.entries[id] }) else { return false }
        entry.cancelled.isSet.withLock { $0 = true }
        await entry.replication.stop()
        _ = await entry.task.result
        return true
    }

    /// Has all of them end soon, and takes no more.
    func stop() {
        for entry in stopped() { Task { await entry.replication.stop() } }
    }

    /// Ends at once what has not ended since `stop`.
    func end() async {
        for entry in stopped() {
            entry.task.cancel()
            _ = await entry.task.result
        }
    }

    private func stopped() -> [Entry] {
        state.withLock { state in
            state.isStopped = true
            return Array(state.entries.values)
        }
    }
}
