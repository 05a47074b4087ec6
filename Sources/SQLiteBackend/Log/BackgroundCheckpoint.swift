internal import Dispatch
internal import StorageProtocol
internal import Synchronization

/// Moves the log into the file beside the writer and the readers, on connections of its own.
///
/// It only makes passive checkpoints: they wait for nobody, and leave the log where it is. That and what else makes it
/// safe without the database's `writer` lock is in docs/decisions/0037-checkpoints-beside-the-writer.md.
final class BackgroundCheckpoint: Sendable {
    private struct State {
        /// Opened by the first checkpoint.
        var connections: CheckpointConnections?
        var isRunning = false
        /// Whether the last attempt to open the connections failed.
        var hasFailed = false
        var isClosed = false
    }

    enum Answer {
        case begun
        /// The one before has not ended.
        case running
        /// There is none this time: the caller moves the log itself.
        case unavailable
    }

    /// A pass that finds no more new frames ends a checkpoint: it has caught up with the writer.
    private static let fewFrames: Int32 = 100
    /// The maximum number of passes of a checkpoint: a writer may fill the log faster than it is moved.
    private static let mostPasses = 8

    private let settings: ConnectionSettings
    private let state = Locked(State())
    private let hasCaughtUp = Atomic(false)
    /// Whether a thread waits for the end.
    private let isHurried = Atomic(false)
    private let queue = DispatchQueue(label: "settee.checkpoint")

    init(_ settings: ConnectionSettings) { self.settings = settings }

    /// Begins to move what is in the log, and returns at once.
    func begin() -> Answer {
        state.withLock { state in
            if state.isClosed || state.hasFailed {
                state.hasFailed = false
                return .unavailable
            }
            if state.isRunning { return .running }
            state.isRunning = true
            queue.async { self.run() }
            return .begun
        }
    }

    /// Whether one has ended with hardly anything left in the log, since this was last asked.
    func takeCatchingUp() -> Bool {
        hasCaughtUp.load(ordering: .relaxed) && hasCaughtUp.exchange(false, ordering: .acquiringAndReleasing)
    }

    /// The log has begun again: how the last one ended no longer matters.
    func forget() { hasCaughtUp.store(false, ordering: .relaxed) }

    /// Waits for the pass that is running.
    func wait() {
        isHurried.store(true, ordering: .relaxed)
        queue.sync {}
        isHurried.store(false, ordering: .relaxed)
    }

    /// Waits for the pass that is running and closes the connections; none begins afterwards.
    func close() {
        state.withLock { $0.isClosed = true }
        wait()
        state.withLock { $0.connections.take() }?.close()
    }

    private func run() {
        let connections = try? state.withLock { $0.connections } ?? CheckpointConnections(settings)
        // A failure loses nothing; the next checkpoint will encounter it again.
        if let connections, (try? catchUp(connections)) == true { hasCaughtUp.store(true, ordering: .releasing) }
        state.withLock { state in
            state.connections = connections
            state.isRunning = false
            state.hasFailed = connections == nil
        }
    }

    /// Moves the log again and again, because it grows meanwhile.
    ///
    /// - Returns: whether hardly anything is left.
    private func catchUp(_ connections: CheckpointConnections) throws(StorageError) -> Bool {
        var before: Int32 = 0
        for _ in 0..<BackgroundCheckpoint.mostPasses where !isHurried.load(ordering: .relaxed) {
            let result = try connections.pass()
            if result.isHeldUp { return false }
            if result.frames - result.moved <= BackgroundCheckpoint.fewFrames {
                if result.frames - before <= BackgroundCheckpoint.fewFrames { return true }
            } else if result.moved <= before {
                // Readers need the rest as it is.
                return false
            }
            before = result.moved
        }
        return false
    }
}
