internal import Dispatch
internal import StorageProtocol
internal import Synchronization

/// Frees the space of dropped indexes, and of entries that were removed all at once, in short transactions between
/// which others write. It has no thread of its own, and does not keep the database alive.
///
/// What is left when the database is closed, or the process ends, is freed after it was opened again.
final class IndexReclaimer: Sendable {
    /// The approximate duration of a transaction, and how often it looks whether others wait to write.
    static let slice = Duration.milliseconds(10)
    static let step = Duration.microseconds(250)
    /// The least pause between two transactions while others write.
    private static let pauseBesideWriters = Duration.milliseconds(10)
    /// How long after the opening it looks for leftovers.
    private static let firstLook = Duration.milliseconds(250)
    /// How long a slice of work waits for a write transaction of another process.
    private static let patience = Duration.seconds(1)

    private struct State {
        var database: DatabaseReference?
        var isStopped = false
        var pause = RetryPause()
    }

    /// Serial, because such a queue gets a thread at once. A concurrent one shares a few threads, and waits when all
    /// are busy.
    private let queue = DispatchQueue(label: "settee.reclaiming", qos: .utility)
    private let state = Locked(State())
    /// Whether a slice of work is scheduled.
    private let isPending = Atomic(false)

    /// Schedules a search for leftovers.
    func start(_ database: Database) {
        state.withLock { $0.database = database.reference }
        begin(after: IndexReclaimer.firstLook)
    }

    /// A commit has dropped an index, or all entries of one.
    func note() { begin(after: .zero) }

    /// Begins nothing any more. A slice in progress takes milliseconds.
    func stop() { state.withLock { $0.isStopped = true } }

    private func begin(after delay: Duration) {
        guard !isPending.exchange(true, ordering: .acquiringAndReleasing) else { return }
        queue.asyncAfter(deadline: .now() + .nanoseconds(Int(delay.nanoseconds))) { [weak self] in self?.run() }
    }

    private func run() {
        isPending.store(false, ordering: .releasing)
        guard let database = state.withLock({ $0.isStopped ? nil : $0.database?.database }) else { return }
        // A rewrite follows everything that is written: removing millions of rows would outrun it.
        if database.compactor.status.isRunning { return begin(after: IndexReclaimer.firstLook) }
        let start = ContinuousClock.now
        do throws(StorageError) {
            let isMore = try database.reclaimDroppedIndexes(patience: IndexReclaimer.patience)
            state.withLock { $0.pause.end() }
            // At most half of the time is spent working.
            let least = database.isBeingWritten ? IndexReclaimer.pauseBesideWriters : .zero
            if isMore { begin(after: max(ContinuousClock.now - start, least)) }
        } catch {
            guard error.code != .notOpen else { return }
            let pause = state.withLock { $0.pause.next(after: error.code) }
            Log.log(
                error.code.isRetryable ? .info : .error,
                .view,
                "\(database.name): what dropped indexes take could not be freed, which is tried again: "
                    + Log.describe(error)
            )
            begin(after: pause)
        }
    }
}
