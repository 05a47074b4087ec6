internal import SetteeSystemLibrary

/// A mutex with conditions to wait for: what a queue of threads is built on. What it protects is the owner's.
///
/// Both are the system's: the thread sanitizer knows them, and a wait has a limit on a clock that nobody sets.
@safe
package final class Monitor: @unchecked Sendable {
    // Sendable since the system's calls may be made from any thread; the pointers never change.
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let conditions: UnsafeMutableBufferPointer<pthread_cond_t>

    /// - Parameter conditions: how many there are; they are numbered from 0.
    package init(conditions count: Int = 1) {
        unsafe mutex = .allocate(capacity: 1)
        unsafe mutex.initialize(to: pthread_mutex_t())
        unsafe conditions = .allocate(capacity: count)
        unsafe conditions.initialize(repeating: pthread_cond_t())
        var status = unsafe pthread_mutex_init(mutex, nil)
        for number in 0..<count { unsafe status |= Monitor.initialize(conditions.baseAddress! + number) }
        precondition(status == 0, "The system has no mutex left.")
    }

    deinit {
        for number in unsafe conditions.indices { unsafe pthread_cond_destroy(condition(number)) }
        unsafe pthread_mutex_destroy(mutex)
        unsafe conditions.deallocate()
        unsafe mutex.deallocate()
    }

    /// Runs `body` while no other thread is inside. Entering it again from `body` never ends.
    package func locked<R, E: Error>(_ body: () throws(E) -> R) throws(E) -> R {
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        return try body()
    }

    /// Lets other threads in until `signal` or `broadcast` wakes this one, or for no reason: callers look again at what
    /// they wait for. Only inside `locked`.
    package func wait(for number: Int = 0) { unsafe pthread_cond_wait(condition(number), mutex) }

    /// The same, for no longer than `patience`, or a hundred years.
    package func wait(for number: Int = 0, atMost patience: Duration) {
        unsafe Monitor.wait(for: condition(number), mutex, min(patience, .seconds(1 << 32)).components)
    }

    /// Wakes one of the threads that wait for a condition. Only inside `locked`.
    package func signal(_ number: Int = 0) { unsafe pthread_cond_signal(condition(number)) }

    /// Wakes all threads that wait for a condition. Only inside `locked`.
    package func broadcast(_ number: Int = 0) { unsafe pthread_cond_broadcast(condition(number)) }

    private func condition(_ number: Int) -> UnsafeMutablePointer<pthread_cond_t> {
        unsafe conditions.baseAddress! + number
    }

    #if canImport(Darwin)
    private static func initialize(_ condition: UnsafeMutablePointer<pthread_cond_t>) -> Int32 {
        unsafe pthread_cond_init(condition, nil)
    }

    private static func wait(
        for condition: UnsafeMutablePointer<pthread_cond_t>,
        _ mutex: UnsafeMutablePointer<pthread_mutex_t>,
        _ patience: (seconds: Int64, attoseconds: Int64)
    ) {
        var time = timespec(tv_sec: Int(patience.seconds), tv_nsec: Int(patience.attoseconds / 1_000_000_000))
        unsafe _ = pthread_cond_timedwait_relative_np(condition, mutex, &time)
    }
    #else
    /// Times are those of a clock that nobody sets.
    private static func initialize(_ condition: UnsafeMutablePointer<pthread_cond_t>) -> Int32 {
        var attributes = pthread_condattr_t()
        let status =
            unsafe pthread_condattr_init(&attributes) | pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        defer { unsafe _ = pthread_condattr_destroy(&attributes) }
        return unsafe status | pthread_cond_init(condition, &attributes)
    }

    private static func wait(
        for condition: UnsafeMutablePointer<pthread_cond_t>,
        _ mutex: UnsafeMutablePointer<pthread_mutex_t>,
        _ patience: (seconds: Int64, attoseconds: Int64)
    ) {
        var time = timespec()
        unsafe _ = clock_gettime(CLOCK_MONOTONIC, &time)
        let nanoseconds = time.tv_nsec + Int(patience.attoseconds / 1_000_000_000)
        time.tv_sec += time_t(patience.seconds) + time_t(nanoseconds / 1_000_000_000)
        time.tv_nsec = nanoseconds % 1_000_000_000
        unsafe _ = pthread_cond_timedwait(condition, mutex, &time)
    }
    #endif
}
