internal import Synchronization

#if canImport(Darwin)
internal import Darwin
#elseif canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#endif

/// Lets one thread of the process write at a time: `StorageEngine.beginWrite` waits here. Each engine has one gate and
/// closes it in `close`.
@safe
public final class WriterGate: @unchecked Sendable {
    // Sendable because `owner` is only accessed under the mutex.
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let condition: UnsafeMutablePointer<pthread_cond_t>
    private var owner: ThreadIdentity?
    /// Set under the mutex, so that a thread cannot begin to wait after `close` has woken the waiting ones. Read
    /// without the mutex, because every call of a transaction reads it.
    private let hasClosed = Atomic(false)

    public init() {
        unsafe mutex = .allocate(capacity: 1)
        unsafe mutex.initialize(to: pthread_mutex_t())
        unsafe condition = .allocate(capacity: 1)
        unsafe condition.initialize(to: pthread_cond_t())
        let status = unsafe pthread_mutex_init(mutex, nil) | WriterGate.initialize(condition)
        precondition(status == 0, "The system has no mutex left.")
    }

    deinit {
        unsafe pthread_cond_destroy(condition)
        unsafe pthread_mutex_destroy(mutex)
        unsafe condition.deallocate()
        unsafe mutex.deallocate()
    }

    /// Waits until no other thread is writing.
    ///
    /// - Parameter patience: How long to wait; nil: as long as it takes.
    /// - Throws: `notOpen` (503) once the gate is closed; `callback` (593) if this thread is already writing; `busy`
    ///   (595) if the patience ends.
    public func enter(patience: Duration? = nil) throws(StorageError) {
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        let thread = ThreadIdentity.current
        let end = patience.map { ContinuousClock.now.advanced(by: min($0, WriterGate.longest)) }
        while !isClosed, let writer = owner {
            if writer == thread { throw .secondWriter }
            guard let end else {
                unsafe pthread_cond_wait(condition, mutex)
                continue
            }
            // A thread that is woken and finds the gate taken sleeps again. The next thread to leave wakes the next
            // one.
            let rest = ContinuousClock.now.duration(to: end)
            guard rest > .zero else { throw .writerIsBusy }
            wait(rest)
        }
        if isClosed { throw .closed }
        owner = thread
    }

    /// Lets the next thread write.
    public func leave() {
        unsafe pthread_mutex_lock(mutex)
        owner = nil
        unsafe pthread_cond_signal(condition)
        unsafe pthread_mutex_unlock(mutex)
    }

    /// Whether `close` was called.
    public var isClosed: Bool { hasClosed.load(ordering: .acquiring) }

    /// Turns away every thread that is waiting or comes later.
    public func close() {
        unsafe pthread_mutex_lock(mutex)
        hasClosed.store(true, ordering: .releasing)
        unsafe pthread_cond_broadcast(condition)
        unsafe pthread_mutex_unlock(mutex)
    }

    /// About a hundred years.
    private static let longest = Duration.seconds(1 << 32)

    #if canImport(Darwin)
    private static func initialize(_ condition: UnsafeMutablePointer<pthread_cond_t>) -> Int32 {
        unsafe pthread_cond_init(condition, nil)
    }

    private func wait(_ rest: Duration) {
        let parts = rest.components
        var time = timespec(tv_sec: Int(parts.seconds), tv_nsec: Int(parts.attoseconds / 1_000_000_000))
        unsafe _ = pthread_cond_timedwait_relative_np(condition, mutex, &time)
    }
    #else
    /// Waits by the monotonic clock, which cannot be set.
    private static func initialize(_ condition: UnsafeMutablePointer<pthread_cond_t>) -> Int32 {
        var attributes = pthread_condattr_t()
        let status =
            unsafe pthread_condattr_init(&attributes) | pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        defer { unsafe _ = pthread_condattr_destroy(&attributes) }
        return unsafe status | pthread_cond_init(condition, &attributes)
    }

    private func wait(_ rest: Duration) {
        var time = timespec()
        unsafe _ = clock_gettime(CLOCK_MONOTONIC, &time)
        let parts = rest.components
        let nanoseconds = time.tv_nsec + Int(parts.attoseconds / 1_000_000_000)
        time.tv_sec += time_t(parts.seconds) + time_t(nanoseconds / 1_000_000_000)
        time.tv_nsec = nanoseconds % 1_000_000_000
        unsafe _ = pthread_cond_timedwait(condition, mutex, &time)
    }
    #endif
}
