internal import Dispatch
internal import Settee
internal import StorageProtocol

/// Prints a live result, then what changes in it, until it is stopped.
final class LiveFollower<Printed: Sendable>: Sendable {
    private let printing: Locked<Printing>
    private let ending = Locked<Ending?>(nil)
    private let ended = DispatchSemaphore(value: 0)

    private struct Printing {
        // Not made for use on several threads. Here it is used under the lock, by one thread at a time, while the
        // thread that made it waits.
        nonisolated(unsafe) var printer: Printer
        var last: Printed
        var isOver = false
    }

    private enum Ending {
        case stopped
        case failed(any Error)
    }

    /// - Parameter nothing: what is printed before the first result.
    init(_ printer: Printer, _ nothing: Printed) {
        // The caller's thread no longer uses it: until the end it is used only under the lock.
        nonisolated(unsafe) let printer = printer
        printing = unsafe Locked(Printing(printer: printer, last: nothing))
    }

    /// Returns when a signal requests it, or the reader of the output is gone.
    ///
    /// - Parameter observe: begins to pass results to `show`, and returns what ends that.
    /// - Throws: what `show` has failed with.
    func run(_ observe: () -> () -> Void) throws {
        let interrupts = Interrupts { _ in self.end(.stopped) }
        defer { interrupts.restore() }
        let remove = observe()
        waitForEnd()
        remove()
        // The result being printed is finished first.
        printing.withLock { $0.isOver = true }
        if case .failed(let error) = ending.withLock({ $0 }) { throw error }
    }

    /// Prints a result. An error ends the follower.
    ///
    /// - Parameters:
    ///   - make: what is to be printed of the result.
    ///   - print: prints the difference between two results, the new one first.
    func show(_ make: () throws -> Printed, _ print: (Printed, Printed, Printer) throws -> Void) {
        do {
            let new = try make()
            try printing.withLock { (printing) throws in
                guard !printing.isOver else { return }
                try unsafe print(new, printing.last, printing.printer)
                try unsafe printing.printer.flush()
                printing.last = new
            }
        } catch {
            end(.failed(error))
        }
    }

    /// That the reader of a pipe is gone is only known by checking.
    private func waitForEnd() {
        while ended.wait(timeout: .now() + .milliseconds(250)) == .timedOut {
            if Terminal.readerOfOutputIsGone { return end(.stopped) }
        }
    }

    private func end(_ new: Ending) {
        ending.withLock { ending in
            if ending == nil { ending = new }
        }
        ended.signal()
    }
}
