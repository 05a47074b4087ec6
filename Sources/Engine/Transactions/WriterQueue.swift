internal import Dispatch
internal import Synchronization

#if canImport(Darwin)
internal import Darwin
#elseif canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#endif

/// Lets one thread of the process write at a time. Work in the background gives way to whoever waits, but gets its
/// share: where it had to wait for long, it may go on for a quarter of that time.
@safe
final class WriterQueue: @unchecked Sendable {
    // Sendable since the variables below are touched under the mutex only.
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    /// For those in the foreground, and those in the background.
    private let foreground: UnsafeMutablePointer<pthread_cond_t>
    private let background: UnsafeMutablePointer<pthread_cond_t>
    private var isTaken = false
    private var waiting = 0
    private var waitingInBackground = 0
    /// How many went first since somebody waits in the background, and since when that one does.
    private var turnsAhead = 0
    private var waitsSince: UInt64 = 0
    /// Until when the one in the background need not make room for others.
    private var shareEnds: UInt64 = 0
    /// When somebody in the foreground last began to wait. Times are in nanoseconds of uptime.
    private let lastUse = Atomic<UInt64>(0)

    /// So many go first, or as many as there are in so long, then it is the background's turn.
    private static let mostTurnsAhead = 8
    private static let patience: UInt64 = 5_000_000
    /// The background's share is no longer than this, however long it had to wait.
    private static let longestShare: UInt64 = 50_000_000
    /// What counts as in use: a hundredth of a second.
    private static let useLasts: UInt64 = 10_000_000

    private static var now: UInt64 { DispatchTime.now().uptimeNanoseconds }

    init() {
        unsafe mutex = .allocate(capacity: 1)
        unsafe mutex.initialize(to: pthread_mutex_t())
        unsafe foreground = .allocate(capacity: 1)
        unsafe foreground.initialize(to: pthread_cond_t())
        unsafe background = .allocate(capacity: 1)
        unsafe background.initialize(to: pthread_cond_t())
        let status =
            unsafe pthread_mutex_init(mutex, nil) | pthread_cond_init(foreground, nil)
            | pthread_cond_init(background, nil)
        precondition(status == 0, "The system has no mutex left.")
    }

    deinit {
        unsafe pthread_cond_destroy(background)
        unsafe pthread_cond_destroy(foreground)
        unsafe pthread_mutex_destroy(mutex)
        unsafe background.deallocate()
        unsafe foreground.deallocate()
        unsafe mutex.deallocate()
    }

    /// Whether the one who is at work in the background is to make room for somebody in the foreground.
    var isWanted: Bool {
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        return waiting > 0 && WriterQueue.now >= shareEnds
    }

    /// Whether somebody in the foreground has written, or waited to, a moment ago.
    var isInUse: Bool {
        let last = lastUse.load(ordering: .relaxed)
        return last > 0 && WriterQueue.now < last + WriterQueue.useLasts
    }

    /// Runs `body` when it is this thread's turn. It must not have one already.
    ///
    /// - Parameter inBackground: whether others go first, a limited number of times.
    func perform(inBackground: Bool = false, _ body: () -> Void) {
        if inBackground { enterInBackground() } else { enter() }
        body()
        leave()
    }

    private func enter() {
        lastUse.store(WriterQueue.now, ordering: .relaxed)
        unsafe pthread_mutex_lock(mutex)
        waiting += 1
        while isTaken || isBackgroundsTurn {
            // Whose turn it is changes with time: who was woken may have to wake the other.
            if !isTaken { unsafe pthread_cond_signal(background) }
            unsafe pthread_cond_wait(foreground, mutex)
        }
        waiting -= 1
        isTaken = true
        if waitingInBackground > 0 { turnsAhead += 1 }
        unsafe pthread_mutex_unlock(mutex)
    }

    private func enterInBackground() {
        unsafe pthread_mutex_lock(mutex)
        let start = WriterQueue.now
        if waitingInBackground == 0 { (turnsAhead, waitsSince) = (0, start) }
        waitingInBackground += 1
        while isTaken || waiting > 0 && !isBackgroundsTurn {
            if !isTaken { unsafe pthread_cond_signal(foreground) }
            unsafe pthread_cond_wait(background, mutex)
        }
        waitingInBackground -= 1
        isTaken = true
        let now = WriterQueue.now
        let waited = now - start
        (turnsAhead, waitsSince) = (0, now)
        shareEnds = waited > 2 * WriterQueue.patience ? now + min(waited / 4, WriterQueue.longestShare) : now
        unsafe pthread_mutex_unlock(mutex)
    }

    /// Whether somebody waits in the background who has let enough others go first.
    private var isBackgroundsTurn: Bool {
        waitingInBackground > 0
            && (turnsAhead >= WriterQueue.mostTurnsAhead || WriterQueue.now >= waitsSince + WriterQueue.patience)
    }

    private func leave() {
        unsafe pthread_mutex_lock(mutex)
        isTaken = false
        let isBackgroundNext = waitingInBackground > 0 && (waiting == 0 || isBackgroundsTurn)
        unsafe pthread_cond_signal(isBackgroundNext ? background : foreground)
        unsafe pthread_mutex_unlock(mutex)
    }
}
