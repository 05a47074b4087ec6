internal import SetteeCouchProtocol
internal import SetteeEngine
internal import SetteeIndexes
internal import SetteeViews
internal import StorageProtocol

/// Brings indexes up to date for requests. Those that wait for the same index take no thread.
final class ViewBuilds: Sendable {
    private struct Key: Hashable {
        var database: ObjectIdentifier
        var view: String
    }

    /// For builds, and what else reads many rows at once.
    let calls: LongCalls
    private let threads: BlockingThreads
    private let tasks: ActiveTasks
    private let cancellation = Cancellation()
    /// Who waits for the end of a build, by view.
    private let running: Locked<[Key: [CheckedContinuation<Void, Never>]]> = Locked([:])

    init(_ threads: BlockingThreads, most: Int, tasks: ActiveTasks) {
        self.threads = threads
        self.tasks = tasks
        calls = LongCalls(threads, most: most)
    }

    /// Ends the builds under way after their current chunk. What is built stays.
    func stop() {
        calls.stop()
        cancellation.cancel()
    }

    /// Returns the state of a view.
    ///
    /// - Parameter isUpdated: Whether its index is to have seen everything that was committed before this call.
    /// - Throws: `not_found` (404) if there is no such view; what the update throws.
    func status(of view: DatabaseView, in served: ServedDatabase, isUpdated: Bool) async throws -> ViewStatus {
        // The first build that this call waits for may have begun before it, the second one has not.
        var builds = isUpdated && !view.database.isReadOnly ? 2 : 0
        while true {
            guard let status = try await threads.run({ try view.status() }) else { throw CouchError.missingView }
            guard status.isStale, builds > 0 else { return status }
            builds = try await build(view, in: served) ? 0 : builds - 1
        }
    }

    /// - Returns: False if a build that was under way has ended, which need not have seen everything.
    private func build(_ view: DatabaseView, in served: ServedDatabase) async throws -> Bool {
        let key = Key(database: ObjectIdentifier(view.database), view: view.name)
        guard await begin(key) else { return false }
        defer { end(key) }
        try await calls.run { [tasks, cancellation] in
            let task = tasks.begin(ActiveTasks.indexer, on: served.name)
            defer { tasks.end(task) }
            try view.database.updateIndexes(of: [view.name], cancellation: cancellation)
        }
        return true
    }

    /// Returns true if nobody builds the index; else false, once the build has ended.
    private func begin(_ key: Key) async -> Bool {
        let begins = running.withLock { running in
            guard running[key] == nil else { return false }
            running[key] = []
            return true
        }
        if begins { return true }
        await withCheckedContinuation { continuation in
            let waits = running.withLock { running in
                guard running[key] != nil else { return false }
                running[key]?.append(continuation)
                return true
            }
            if !waits { continuation.resume() }
        }
        return false
    }

    private func end(_ key: Key) {
        let waiting = running.withLock { $0.removeValue(forKey: key) } ?? []
        for request in waiting { request.resume() }
    }
}
