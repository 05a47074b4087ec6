internal import Dispatch
internal import StorageProtocol
internal import Synchronization

/// Lets one thread of the process write at a time. Work in the background lets waiting writers go first, but gets its
/// share: after a long wait it may continue for a quarter of that time.
final class WriterQueue: @unchecked Sendable {
    // Sendable because the variables below are only accessed inside the monitor.
    private let monitor = Monitor(conditions: 2)
    /// The conditions of threads in the foreground and in the background.
    private static let foreground = 0
    private static let background = 1
    private var isTaken = false
    private var waiting = 0
    private var waitingInBackground = 0
    /// How many writers went first since a thread has been waiting in the background, and since when it has.
    private var turnsAhead = 0
    private var waitsSince: UInt64 = 0
    /// Until when the thread in the background need not let others go first.
    private var shareEnds: UInt64 = 0
    /// When a thread in the foreground last began to wait. Times are in nanoseconds of uptime.
    private let lastUse = Atomic<UInt64>(0)

    /// After so many foreground turns, or after this time, it is the background's turn.
    private static let mostTurnsAhead = 8
    private static let patience: UInt64 = 5_000_000
    /// The longest share of the background, however long it had to wait.
    private static let longestShare: UInt64 = 50_000_000
    /// How long a database counts as in use after a write: a hundredth of a second.
    private static let useLasts: UInt64 = 10_000_000

    private static var now: UInt64 { DispatchTime.now().uptimeNanoseconds }

    /// Whether the thread at work in the background should let a thread in the foreground go first.
    var isWanted: Bool {
        monitor.locked { waiting > 0 && WriterQueue.now >= shareEnds }
    }

    /// Whether a thread in the foreground has just written or begun to wait.
    var isInUse: Bool {
        let last = lastUse.load(ordering: .relaxed)
        return last > 0 && WriterQueue.now < last + WriterQueue.useLasts
    }

    /// Runs `body` when it is this thread's turn. The thread must not have one already.
    ///
    /// - Parameter inBackground: whether others go first, a limited number of times.
    func perform<R, E: Error>(inBackground: Bool = false, _ body: () throws(E) -> R) throws(E) -> R {
        if inBackground { enterInBackground() } else { enter() }
        defer { leave() }
        return try body()
    }

    private func enter() {
        lastUse.store(WriterQueue.now, ordering: .relaxed)
        monitor.locked {
            waiting += 1
            while isTaken || isBackgroundsTurn {
                // Whose turn it is changes with time, so a thread that was woken may have to wake the other kind.
                if !isTaken { monitor.signal(WriterQueue.background) }
                monitor.wait(for: WriterQueue.foreground)
            }
            waiting -= 1
            isTaken = true
            if waitingInBackground > 0 { turnsAhead += 1 }
        }
    }

    private func enterInBackground() {
        monitor.locked {
            let start = WriterQueue.now
            if waitingInBackground == 0 { (turnsAhead, waitsSince) = (0, start) }
            waitingInBackground += 1
            while isTaken || waiting > 0 && !isBackgroundsTurn {
                if !isTaken { monitor.signal(WriterQueue.foreground) }
                monitor.wait(for: WriterQueue.background)
            }
            waitingInBackground -= 1
            isTaken = true
            let now = WriterQueue.now
            let waited = now - start
            (turnsAhead, waitsSince) = (0, now)
            shareEnds = waited > 2 * WriterQueue.patience ? now + min(waited / 4, WriterQueue.longestShare) : now
        }
    }

    /// Whether a thread waits in the background that has let enough others go first.
    private var isBackgroundsTurn: Bool {
        waitingInBackground > 0
            && (turnsAhead >= WriterQueue.mostTurnsAhead || WriterQueue.now >= waitsSince + WriterQueue.patience)
    }

    private func leave() {
        monitor.locked {
            isTaken = false
            let isBackgroundNext = waitingInBackground > 0 && (waiting == 0 || isBackgroundsTurn)
            monitor.signal(isBackgroundNext ? WriterQueue.background : WriterQueue.foreground)
        }
    }
}
