internal import Dispatch
internal import Synchronization

#if canImport(Darwin)
internal import Darwin
#elseif canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#endif

/// Lets one thread of the process write at a time. Work in the background gives way to whoever waits.
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
    /// How many went first since somebody waits in the background.
    private var turnsAhead = 0
    /// When somebody in the foreground last began to wait, in nanoseconds of uptime.
    private let lastUse = Atomic<UInt64>(0)

    /// So many go first, then it is the background's turn.
    private static let mostTurnsAhead = 8

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

    /// Whether somebody in the foreground waits for the present one to end.
    var isWanted: Bool {
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        return waiting > 0
    }

    /// Whether somebody in the foreground has written, or waited to, in the last hundredth of a second.
    var isInUse: Bool {
        let last = lastUse.load(ordering: .relaxed)
        return last > 0 && DispatchTime.now().uptimeNanoseconds < last + 10_000_000
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
        lastUse.store(DispatchTime.now().uptimeNanoseconds, ordering: .relaxed)
        unsafe pthread_mutex_lock(mutex)
        waiting += 1
        while isTaken || waitingInBackground > 0 && turnsAhead >= WriterQueue.mostTurnsAhead {
            unsafe pthread_cond_wait(foreground, mutex)
        }
        waiting -= 1
        isTaken = true
        if waitingInBackground > 0 { turnsAhead += 1 }
        unsafe pthread_mutex_unlock(mutex)
    }

    private func enterInBackground() {
        unsafe pthread_mutex_lock(mutex)
        waitingInBackground += 1
        while isTaken || waiting > 0 && turnsAhead < WriterQueue.mostTurnsAhead {
            unsafe pthread_cond_wait(background, mutex)
        }
        waitingInBackground -= 1
        isTaken = true
        turnsAhead = 0
        unsafe pthread_mutex_unlock(mutex)
    }

    private func leave() {
        unsafe pthread_mutex_lock(mutex)
        isTaken = false
        let isBackgroundNext = waitingInBackground > 0 && (waiting == 0 || turnsAhead >= WriterQueue.mostTurnsAhead)
        unsafe pthread_cond_signal(isBackgroundNext ? background : foreground)
        unsafe pthread_mutex_unlock(mutex)
    }
}
