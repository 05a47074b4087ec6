internal import Foundation
internal import StorageProtocol
package import Testing

/// Runs `body` on `count` threads at once and waits for all; throws the first error.
package func onThreads(_ count: Int, _ body: @escaping @Sendable (Int) throws -> Void) throws {
    let failures = FailureBox()
    let finished = DispatchGroup()
    let start = DispatchSemaphore(value: 0)
    for number in 0..<count {
        finished.enter()
        let thread = Thread {
            start.wait()
            do { try body(number) } catch { failures.add(error) }
            finished.leave()
        }
        thread.start()
    }
    for _ in 0..<count { start.signal() }
    finished.wait()
    try failures.rethrow()
}

/// A piece of work on a thread of its own.
package final class Background: Sendable {
    private let failures = FailureBox()
    private let finished = DispatchSemaphore(value: 0)

    package init(_ body: @escaping @Sendable () throws -> Void) {
        let failures = self.failures
        let finished = self.finished
        Thread {
            do { try body() } catch { failures.add(error) }
            finished.signal()
        }.start()
    }

    /// Whether the work ended within `seconds`.
    package func ends(within seconds: Double) -> Bool {
        guard finished.wait(timeout: .now() + seconds) == .success else { return false }
        finished.signal()
        return true
    }

    /// Waits for the end; throws what the work threw.
    package func join() throws {
        finished.wait()
        finished.signal()
        try failures.rethrow()
    }
}

/// A gate that one thread opens and others wait at.
package final class Gate: Sendable {
    private let semaphore = DispatchSemaphore(value: 0)

    package init() {}

    package func open() { semaphore.signal() }

    /// Waits until the gate is open; it stays open. A test must not hang: after half an hour it continues with a
    /// failure. Less is not enough: an asynchronous test may only reach its next step when all synchronous ones have
    /// ended.
    package func wait(sourceLocation: SourceLocation = #_sourceLocation) {
        let outcome = semaphore.wait(timeout: .now() + 1800)
        #expect(outcome == .success, "Nobody opened the gate.", sourceLocation: sourceLocation)
        semaphore.signal()
    }

    /// The same for asynchronous tests, whose few threads must be left to the tasks that they wait for.
    package func opened(sourceLocation: SourceLocation = #_sourceLocation) async {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                self.wait(sourceLocation: sourceLocation)
                continuation.resume()
            }
        }
    }
}

private final class FailureBox: Sendable {
    private let errors = Locked<[any Error]>([])

    func add(_ error: any Error) { errors.withLock { $0.append(error) } }

    func rethrow() throws {
        if let first = errors.withLock({ $0.first }) { throw first }
    }
}
