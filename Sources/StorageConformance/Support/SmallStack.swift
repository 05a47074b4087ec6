internal import Dispatch
internal import Foundation
internal import StorageProtocol

/// Runs `body` on a thread with a stack of 512 KiB, the smallest that a program's threads have on the platforms that
/// Settee runs on, and waits for it.
package func onSmallStack<R: Sendable>(_ body: @escaping @Sendable () throws -> R) throws -> R {
    let outcome = Locked<Result<R, any Error>?>(nil)
    let done = DispatchSemaphore(value: 0)
    let thread = Thread {
        let result = Result { try body() }
        outcome.withLock { $0 = result }
        done.signal()
    }
    thread.stackSize = 512 << 10
    thread.start()
    done.wait()
    guard let result = outcome.withLock({ $0 }) else { throw StorageError(.unexpected, "The thread did not run.") }
    return try result.get()
}
