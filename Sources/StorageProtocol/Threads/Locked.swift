internal import SetteeSystemLibrary

/// A value that one thread at a time may use.
///
/// As `Mutex` of the module Synchronization, on a mutex of the system: the thread sanitizer knows that one, and cannot
/// see on Linux how the other orders accesses.
@safe
package struct Locked<Value: ~Copyable>: ~Copyable, @unchecked Sendable {
    // Sendable since the value is used under the mutex only, whose place in memory must not change.
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

    /// Runs `body` while no other thread uses the value. Taking the lock again inside it never ends.
    package borrowing func withLock<R: ~Copyable, E: Error>(
        _ body: (inout Value) throws(E) -> R
    ) throws(E) -> R {
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        return try unsafe body(&value.pointee)
    }
}
