internal import Dispatch
internal import StorageProtocol

/// Purges a database's expired documents at their times, as long as it is open. It has no thread of its own, and does
/// not keep the database alive.
///
/// It sleeps until the next expiry, but never long, because it notices expiries set by other processes only by polling,
/// and the system's clock may be changed.
final class ExpiryTimer: Sendable {
    /// How often a database is polled that other processes may write to, in milliseconds.
    static let pollInterval: Int64 = 2_000
    /// The longest sleep before the clock is read again, and the longest pause between failed attempts, in
    /// milliseconds.
    static let longestSleep: Int64 = 60_000

    private struct State {
        var database: DatabaseReference?
        var polls = false
        /// The number of the current sleep. Earlier ones are ignored when they end.
        var sleep: UInt64 = 0
        /// The time at which the current sleep ends, if known; nil: there is none.
        var due: Int64?
        var isStopped = false
        var failures = 0
    }

    /// A serial queue gets a thread as soon as it needs one. A concurrent queue waits for one of a few threads, which
    /// may all be busy.
    private let queue = DispatchQueue(label: "settee.expiry")
    private let state = Locked(State())

    /// Begins with documents that expired while the database was closed: some of them are purged at once, on the
    /// calling thread, if no other process is writing.
    ///
    /// - Parameter polls: Whether other processes may set expiries.
    func start(_ database: Database, polls: Bool) {
        state.withLock { state in
            state.database = database.reference
            state.polls = polls
        }
        do throws(StorageError) {
            var next = try database.nextExpiryTime()
            if let due = next, due <= ExpiryTime.now {
                _ = try database.purgeExpiredBatch(patience: .zero)
                next = try database.nextExpiryTime()
            }
            sleep(until: next)
        } catch {
            failed(database, error)
        }
    }

    /// Sets whether other processes may set expiries from now on. Takes effect with the next sleep.
    func adapt(polls: Bool) { state.withLock { $0.polls = polls } }

    /// Notes that a commit of this process has set an expiry.
    func note(_ time: Int64) {
        let isSooner = state.withLock { state in state.due.map { time < $0 } ?? true }
        if isSooner { sleep(until: time) }
    }

    /// Stops the timer. A purge in progress continues.
    func stop() { state.withLock { $0.isStopped = true } }

    /// - Parameter number: The sleep that ended. If another one was begun in the meantime, for an expiry that may not
    ///   have been stored yet when `time` was read, that one continues.
    private func sleep(until time: Int64?, after number: UInt64? = nil) {
        let now = ExpiryTime.now
        let sleep = state.withLock { state -> (number: UInt64, milliseconds: Int64)? in
            guard !state.isStopped, number == nil || number == state.sleep else { return nil }
            state.sleep += 1
            state.due = time
            guard time != nil || state.polls else { return nil }
            let longest = state.polls ? ExpiryTimer.pollInterval : ExpiryTimer.longestSleep
            let (wait, overflow) = (time ?? .max).subtractingReportingOverflow(now)
            return (state.sleep, overflow ? longest : min(max(0, wait), longest))
        }
        if let sleep { begin(sleep.number, milliseconds: sleep.milliseconds) }
    }

    private func begin(_ number: UInt64, milliseconds: Int64) {
        queue.asyncAfter(deadline: .now() + .milliseconds(Int(milliseconds))) { [weak self] in
            self?.wake(number)
        }
    }

    private func wake(_ number: UInt64) {
        let database = state.withLock { state in
            state.isStopped || state.sleep != number ? nil : state.database?.database
        }
        guard let database else { return }
        do throws(StorageError) {
            var next = try database.nextExpiryTime()
            if let due = next, due <= ExpiryTime.now {
                let purged = try database.purgeExpiredDocuments()
                next = try database.nextExpiryTime()
                // Otherwise it would be tried again at once, without end.
                if purged == 0, next == due {
                    throw StorageError.corrupt("A document is due, but is not found when its time has come")
                }
            }
            state.withLock { $0.failures = 0 }
            sleep(until: next, after: number)
        } catch {
            guard error.code != .notOpen else { return }
            failed(database, error)
        }
    }

    /// Schedules another attempt, after a pause that grows with each failure.
    private func failed(_ database: Database, _ error: StorageError) {
        // Another process that is writing at this moment is not a problem, but one that never stops is.
        let retry = state.withLock { state -> (number: UInt64, failures: Int)? in
            guard !state.isStopped else { return nil }
            state.failures += 1
            state.sleep += 1
            state.due = nil
            return (state.sleep, state.failures)
        }
        guard let retry else { return }
        Log.log(
            retry.failures == 1 && error.code.isRetryable ? .info : .error,
            .expiry,
            "\(database.name): expired documents could not be purged, and are tried again: \(Log.describe(error))"
        )
        let wait = min(ExpiryTimer.longestSleep, ExpiryTimer.pollInterval << Int64(min(retry.failures - 1, 5)))
        begin(retry.number, milliseconds: wait)
    }
}
