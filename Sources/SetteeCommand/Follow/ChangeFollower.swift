internal import Dispatch
internal import Settee
internal import StorageProtocol

/// Prints the changes of a database, those to come too, until it is told to stop.
final class ChangeFollower: Sendable {
    private let database: Database
    private let printing: Locked<Printing>
    private let ending = Locked<Ending?>(nil)
    private let ended = DispatchSemaphore(value: 0)

    private struct Printing {
        // Not made for several threads. Here one at a time has it, under the lock, while the thread that made it waits.
        nonisolated(unsafe) var output: ChangePrinting
        /// The sequence up to which everything is printed.
        var seen: UInt64
        /// Which listener prints: one that was removed may have a call left.
        var turn = 0
    }

    private enum Ending {
        case stopped
        /// More came than was printed: what is behind has to be read.
        case behind
        case failed(any Error)
    }

    init(_ database: Database, since: UInt64, _ output: ChangePrinting) {
        self.database = database
        // The caller's thread gives it up: from here on it is reached under the lock alone.
        nonisolated(unsafe) let output = output
        printing = unsafe Locked(Printing(output: output, seen: since))
    }

    /// Returns when a signal asks to end, the reader of the output is gone, or enough is printed.
    func run() throws {
        if printing.withLock({ unsafe $0.output.isDone }) { return }
        let interrupts = Interrupts { self.end(.stopped) }
        defer { interrupts.restore() }
        var fruitless = 0
        while true {
            let (turn, seen) = printing.withLock { ($0.turn, $0.seen) }
            let listener = database.addChangeListener(following: seen) { self.handle($0, turn: turn) }
            waitForEnd()
            listener.remove()
            // A line that is being printed is printed to its end.
            printing.withLock { $0.turn += 1 }
            switch ending.withLock({ $0.take() }) {
            case .behind, nil:
                // Where the store cannot be read, an observer is told that it missed something, each time.
                fruitless = printing.withLock { $0.seen } == seen ? fruitless + 1 : 0
                if fruitless == ChangeFollower.tries { throw try failure(after: seen) }
            case .stopped: return
            case .failed(let error): throw error
            }
        }
    }

    /// How often it begins anew without a single change.
    private static let tries = 5

    /// Why the changes cannot be followed.
    private func failure(after sequence: UInt64) throws(StorageError) -> StorageError {
        _ = try database.changes(since: sequence, limit: 1000).rows()
        return .corrupt("The changes after sequence \(sequence) cannot be read")
    }

    /// A pipe whose reader is gone says so only when it is asked.
    private func waitForEnd() {
        while ended.wait(timeout: .now() + .milliseconds(250)) == .timedOut {
            if Terminal.readerOfOutputIsGone { return end(.stopped) }
        }
    }

    private func handle(_ change: DatabaseChange, turn: Int) {
        let ending = printing.withLock { printing -> Ending? in
            guard printing.turn == turn, self.ending.withLock({ $0 == nil }) else { return nil }
            guard case .document(let change) = change else { return .behind }
            do {
                try unsafe printing.output.print(change, in: database)
            } catch {
                return .failed(error)
            }
            printing.seen = change.sequence
            return unsafe printing.output.isDone ? .stopped : nil
        }
        if let ending { end(ending) }
    }

    private func end(_ new: Ending) {
        ending.withLock { ending in
            switch ending {
            case nil, .behind: ending = new
            case .stopped, .failed: break
            }
        }
        ended.signal()
    }
}
