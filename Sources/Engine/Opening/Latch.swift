internal import Dispatch

/// Blocks threads until it is opened, once and for all.
package final class Latch: Sendable {
    private let semaphore = DispatchSemaphore(value: 0)

    package init() {}

    package func open() { semaphore.signal() }

    package func wait() {
        semaphore.wait()
        // Releases the next thread.
        semaphore.signal()
    }
}
