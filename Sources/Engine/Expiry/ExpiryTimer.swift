internal import Dispatch
internal import StorageProtocol

/// Purges a database's expired documents as their times come, for as long as it is open. It has no thread of its own,
/// and does not keep the database alive.
///
/// It sleeps until the next expiry, and never long: what other processes set is noticed by looking, and the system's
/// clock may be changed.
final class ExpiryTimer: Sendable {
    /// How often a database that other processes may write to is looked at.
    static let pollInterval: Int64 = 2_000
    /// The longest sleep before the clock is looked at again, and the longest between tries that fail.
    static let longestSleep: Int64 = 60_000

    private struct State {
        var database = WeakDatabase(nil)
        var polls = false
        /// What the sleep that counts was begun with; those before it are of no account.
        var sleep: UInt64 = 0
        /// The time to which it sleeps, as far as known; nil: it does not.
        var due: Int64?
        var isStopped = false
        var failures = 0
    }

    /// A serial queue has a thread as soon as it needs one. A concurrent one waits for one of a few, and those may all
    /// be busy.
    private let queue = DispatchQueue(label: "settee.expiry")
    private let state = Locked(State())

    /// Begins with what has expired while the database was closed: some of it is purged at once, on the calling thread,
    /// where no other process is writing.
    ///
    /// - Parameter polls: whether other processes may set expiries.
    func start(_ database: Database, polls: Bool) {
        state.withLock { state in
            state.database = WeakDatabase(database)
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

    /// Other processes may set expiries from now on, or cannot any more. Takes effect with the next sleep.
    func adapt(polls: Bool) { state.withLock { $0.polls = polls } }

    /// A commit of this process has set an expiry.
    func note(_ time: Int64) {
        let isSooner = state.withLock { state in state.due.map { time < $0 } ?? true }
        if isSooner { sleep(until: time) }
    }

    /// Nothing is begun any more. What is being purged goes on.
    func stop() { state.withLock { $0.isStopped = true } }

    /// - Parameter number: the sleep that ended. Where another one was begun meanwhile, for an expiry that may not have
    ///   been stored yet when `time` was read, that one goes on.
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
            state.isStopped || state.sleep != number ? nil : state.database.database
        }
        guard let database else { return }
        do throws(StorageError) {
            var next = try database.nextExpiryTime()
            if let due = next, due <= ExpiryTime.now {
                let purged = try database.purgeExpiredDocuments()
                next = try database.nextExpiryTime()
                // Else it would be tried again at once, for ever.
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

    /// Tries again later, each time later.
    private func failed(_ database: Database, _ error: StorageError) {
        // Another process that writes at this moment is no problem; one that never stops is.
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
