internal import Dispatch
internal import Settee
internal import StorageProtocol

/// Prints the changes of a database, including future ones, until it is stopped.
final class ChangeFollower: Sendable {
    private let database: Database
    private let printing: Locked<Printing>
    private let ending = Locked<Ending?>(nil)
    private let ended = DispatchSemaphore(value: 0)

    private struct Printing {
        // Not made for use on several threads. Here it is used under the lock, by one thread at a time, while the
        // thread that made it waits.
        nonisolated(unsafe) var output: ChangePrinting
        /// Everything up to this sequence is printed.
        var seen: UInt64
        /// Identifies the listener that prints: one that was removed may still be called once more.
        var turn = 0
    }

    private enum Ending {
        case stopped
        /// More changes came than were printed: the missing ones must be read.
        case behind
        case failed(any Error)
    }

    init(_ database: Database, since: UInt64, _ output: ChangePrinting) {
        self.database = database
        // The caller's thread no longer uses it: from here on it is used only under the lock.
        nonisolated(unsafe) let output = output
        printing = unsafe Locked(Printing(output: output, seen: since))
    }

    /// Returns when a signal requests it, the reader of the output is gone, or enough lines are printed.
    func run() throws {
        if printing.withLock({ unsafe $0.output.isDone }) { return }
        let interrupts = Interrupts { _ in self.end(.stopped) }
        defer { interrupts.restore() }
        var fruitless = 0
        while true {
            let (turn, seen) = printing.withLock { ($0.turn, $0.seen) }
            let listener = database.addChangeListener(following: seen) { self.handle($0, turn: turn) }
            waitForEnd()
            listener.remove()
            // The line being printed is finished first.
            printing.withLock { $0.turn += 1 }
            switch ending.withLock({ $0.take() }) {
            case .behind, nil:
                // If the store cannot be read, each new observer only learns that it has missed changes.
                fruitless = printing.withLock { $0.seen } == seen ? fruitless + 1 : 0
                if fruitless == ChangeFollower.tries { throw try failure(after: seen) }
            case .stopped: return
            case .failed(let error): throw error
            }
        }
    }

    /// How often it starts again without receiving a change.
    private static let tries = 5

    /// Returns the reason why the changes cannot be followed.
    private func failure(after sequence: UInt64) throws(StorageError) -> StorageError {
        _ = try database.changes(since: sequence, limit: 1000).rows()
        return .corrupt("The changes after sequence \(sequence) cannot be read")
    }

    /// That the reader of a pipe is gone is only known by checking.
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
