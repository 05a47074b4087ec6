internal import Dispatch
internal import Foundation

/// Runs one closure on a thread of its own. Transactions belong to threads, so tests choose theirs.
final class Worker: Sendable {
    private let done = DispatchSemaphore(value: 0)

    init(_ body: @escaping @Sendable () -> Void) {
        let done = done
        let thread = Thread {
            body()
            done.signal()
        }
        thread.stackSize = 1 << 20
        thread.start()
    }

    /// Waits for the end, at most this long. Returns false if it is still running.
    func join(milliseconds: Int = 60_000) -> Bool {
        let ended = done.wait(timeout: .now() + .milliseconds(milliseconds)) == .success
        if ended { done.signal() }
        return ended
    }
}
