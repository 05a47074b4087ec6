#if canImport(Darwin)
internal import Darwin
#elseif canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#endif

/// Lets one thread of the process write at a time.
@safe
package final class WriterGate: @unchecked Sendable {
    // Sendable since the two variables below are touched under the mutex only.
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let condition: UnsafeMutablePointer<pthread_cond_t>
    private var owner: ThreadIdentity?
    private var isClosed = false

    package init() {
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
    package func enter() throws(StorageError) {
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        let thread = ThreadIdentity.current
        while !isClosed, let writer = owner {
            if writer == thread {
                throw StorageError(
                    .callback,
                    "This thread has begun a write transaction already. Use that one, or end it first."
                )
            }
            unsafe pthread_cond_wait(condition, mutex)
        }
        if isClosed { throw StorageError(.notOpen, "The database is closed. Open it again.") }
        owner = thread
    }

    package func leave() {
        unsafe pthread_mutex_lock(mutex)
        owner = nil
        unsafe pthread_cond_signal(condition)
        unsafe pthread_mutex_unlock(mutex)
    }

    /// Sends everybody away who waits or comes later.
    package func close() {
        unsafe pthread_mutex_lock(mutex)
        isClosed = true
        unsafe pthread_cond_broadcast(condition)
        unsafe pthread_mutex_unlock(mutex)
    }
}
