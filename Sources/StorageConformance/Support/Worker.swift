internal import Dispatch
internal import Foundation

/// A thread of its own that runs one closure; transactions belong to threads, so tests choose theirs.
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

    /// Waits for the end, at most that long. False: it still runs.
    func join(milliseconds: Int = 60_000) -> Bool {
        let ended = done.wait(timeout: .now() + .milliseconds(milliseconds)) == .success
        if ended { done.signal() }
        return ended
    }
}
