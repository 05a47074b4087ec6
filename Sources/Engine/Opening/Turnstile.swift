internal import Dispatch

/// Holds threads back until it is opened, once and for ever.
final class Turnstile: Sendable {
    private let semaphore = DispatchSemaphore(value: 0)

    func open() { semaphore.signal() }

    func wait() {
        semaphore.wait()
        // Lets the next one through.
        semaphore.signal()
    }
}
