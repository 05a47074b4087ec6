#if canImport(Darwin)
internal import Darwin
#elseif canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#endif

/// Lets one thread of the process write at a time: what `StorageEngine.beginWrite` waits for. An engine has one, and closes it in
/// `close`.
@safe
public final class WriterGate: @unchecked Sendable {
    // Sendable since the variables below are touched under the mutex only.
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let condition: UnsafeMutablePointer<pthread_cond_t>
    private var owner: ThreadIdentity?
    private var hasClosed = false

    public init() {
        unsafe mutex = .allocate(capacity: 1)
        unsafe mutex.initialize(to: pthread_mutex_t())
        unsafe condition = .allocate(capacity: 1)
        unsafe condition.initialize(to: pthread_cond_t())
        let status = unsafe pthread_mutex_init(mutex, nil) | pthread_cond_init(condition, nil)
        precondition(status == 0, "The system has no mutex left.")
    }

    deinit {
        unsafe pthread_cond_destroy(condition)
        unsafe pthread_mutex_destroy(mutex)
        unsafe condition.deallocate()
        unsafe mutex.deallocate()
    }

    /// Waits until no other thread writes.
    ///
    /// - Throws: `notOpen` (503) once the gate is closed; `callback` (593) where this thread writes already.
    public func enter() throws(StorageError) {
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        let thread = ThreadIdentity.current
        while !hasClosed, let writer = owner {
            if writer == thread { throw .secondWriter }
            unsafe pthread_cond_wait(condition, mutex)
        }
        if hasClosed { throw .closed }
        owner = thread
    }

    /// Lets the next one write.
    public func leave() {
        unsafe pthread_mutex_lock(mutex)
        owner = nil
        unsafe pthread_cond_signal(condition)
        unsafe pthread_mutex_unlock(mutex)
    }

    /// Whether `close` was called.
    public var isClosed: Bool {
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        return hasClosed
    }

    /// Sends everybody away who waits or comes later.
    public func close() {
        unsafe pthread_mutex_lock(mutex)
        hasClosed = true
        unsafe pthread_cond_broadcast(condition)
        unsafe pthread_mutex_unlock(mutex)
    }
}
