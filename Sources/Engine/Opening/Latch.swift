internal import Dispatch

/// Holds threads back until it is opened, once and for ever.
package final class Latch: Sendable {
    private let semaphore = DispatchSemaphore(value: 0)

    package init() {}

    package func open() { semaphore.signal() }

    package func wait() {
        semaphore.wait()
        // Lets the next one through.
        semaphore.signal()
    }
}
