internal import Dispatch
internal import StorageProtocol
internal import Synchronization

/// Lets one thread of the process write at a time. Work in the background lets waiting writers go first. It also lets
/// a thread go first that saves one document after another, although that thread is not waiting between two saves.
/// After a while it is the background's turn, for a part of the time that it has waited.
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
    private var turnsAhead: UInt64 = 0
    private var waitsSince: UInt64 = 0
    /// Until when the thread in the background need not let others go first.
    private var shareEnds: UInt64 = 0
    /// When a thread in the foreground last ended its turn, and whether that turn followed closely on another one.
    private var lastTurn: UInt64 = 0
    private var isInBurst = false
    private var isTakenInBackground = false
    /// When a thread in the foreground last began to wait. Times are in nanoseconds of uptime.
    private let lastUse = Atomic<UInt64>(0)

    /// After this time it is the background's turn.
    private static let patience: UInt64 = 10_000_000
    /// Turns in the foreground follow closely on one another if the gap is shorter than this.
    private static let gap: UInt64 = 200_000
    /// How often the background looks whether such a burst is over.
    private static let lookInterval = Duration.microseconds(250)
    /// The background's share is about as long as one of the turns that went first, but at least a sixteenth and at
    /// most a quarter of the time that it waited. After more turns than this it is a quarter: few of them have to wait.
    private static let manyTurns: UInt64 = 100
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
        let start = WriterQueue.now
        lastUse.store(start, ordering: .relaxed)
        monitor.locked {
            isInBurst = isTaken && !isTakenInBackground || start < lastTurn + WriterQueue.gap
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
            while isTaken || mustLetOthersGoFirst {
                if !isTaken, waiting > 0 { monitor.signal(WriterQueue.foreground) }
                monitor.wait(for: WriterQueue.background, atMost: WriterQueue.lookInterval)
            }
            waitingInBackground -= 1
            isTaken = true
            isTakenInBackground = true
            let now = WriterQueue.now
            let waited = now - start
            let part = turnsAhead > WriterQueue.manyTurns ? 4 : min(max(turnsAhead, 4), 16)
            shareEnds = now + min(waited / part, WriterQueue.longestShare)
            (turnsAhead, waitsSince) = (0, now)
        }
    }

    /// Whether a thread waits in the background that has let others go first for long enough.
    private var isBackgroundsTurn: Bool {
        waitingInBackground > 0 && WriterQueue.now >= waitsSince + WriterQueue.patience
    }

    private var mustLetOthersGoFirst: Bool {
        !isBackgroundsTurn && (waiting > 0 || isInBurst && WriterQueue.now < lastTurn + WriterQueue.gap)
    }

    private func leave() {
        monitor.locked {
            isTaken = false
            if !isTakenInBackground { lastTurn = WriterQueue.now }
            isTakenInBackground = false
            let isBackgroundNext = waitingInBackground > 0 && !mustLetOthersGoFirst
            if isBackgroundNext {
                monitor.signal(WriterQueue.background)
            } else if waiting > 0 {
                monitor.signal(WriterQueue.foreground)
            }
        }
    }
}
