internal import SetteeSystemLibrary

/// A value that only one thread at a time can use.
///
/// Like `Mutex` of the module Synchronization, but with a mutex of the system: the thread sanitizer supports that one,
/// and on Linux it cannot see how the other orders accesses.
@safe
package struct Locked<Value: ~Copyable>: ~Copyable, @unchecked Sendable {
    // Sendable because the value is only used under the mutex, whose address must not change.
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let value: UnsafeMutablePointer<Value>

    package init(_ initial: consuming sending Value) {
        unsafe mutex = .allocate(capacity: 1)
        unsafe mutex.initialize(to: pthread_mutex_t())
        let status = unsafe pthread_mutex_init(mutex, nil)
        precondition(status == 0, "The system has no mutex left.")
        unsafe value = .allocate(capacity: 1)
        unsafe value.initialize(to: initial)
    }

    deinit {
        unsafe value.deinitialize(count: 1)
        unsafe value.deallocate()
        unsafe pthread_mutex_destroy(mutex)
        unsafe mutex.deallocate()
    }

    /// Runs `body` while no other thread uses the value. Taking the lock again inside it never returns.
    package borrowing func withLock<R: ~Copyable, E: Error>(
        _ body: (inout Value) throws(E) -> R
    ) throws(E) -> R {
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        return try unsafe body(&value.pointee)
    }
}
