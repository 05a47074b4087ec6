internal import Foundation
internal import StorageProtocol

/// Lets one thread write at a time.
final class WriterGate: Sendable {
    // NSCondition is the lock of the two variables below: both are touched only between lock and unlock.
    private let condition = NSCondition()
    nonisolated(unsafe) private var owner: ThreadIdentity?
    nonisolated(unsafe) private var isClosed = false

    /// Waits until no other thread writes.
    ///
    /// - Throws: `notOpen` (503) once the gate is closed; `callback` (593) where this thread writes already.
    func enter() throws(StorageError) {
        condition.lock()
        defer { condition.unlock() }
        let thread = ThreadIdentity.current
        while unsafe !isClosed, let writer = unsafe owner {
            if writer == thread {
                throw StorageError(
                    .callback,
                    "This thread has begun a write transaction already. Use that one, or end it first."
                )
            }
            condition.wait()
        }
        if unsafe isClosed { throw .closedMemoryStore }
        unsafe owner = thread
    }

    func leave() {
        condition.lock()
        unsafe owner = nil
        condition.signal()
        condition.unlock()
    }

    /// Sends everybody away who waits or comes later.
    func close() {
        condition.lock()
        unsafe isClosed = true
        condition.broadcast()
        condition.unlock()
    }
}
