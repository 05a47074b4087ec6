internal import Dispatch
internal import Settee
internal import StorageProtocol

/// Prints the rows of a query, then rows as they disappear and appear, until it is stopped.
final class QueryFollower: Sendable {
    private let query: DatabaseQuery
    private let printing: Locked<Printing>
    private let ending = Locked<Ending?>(nil)
    private let ended = DispatchSemaphore(value: 0)

    private struct Printing {
        // Not made for use on several threads. Here it is used under the lock, by one thread at a time, while the
        // thread that made it waits.
        nonisolated(unsafe) var printer: Printer
        /// The rows already printed, without their closing braces.
        var rows: [[UInt8]] = []
        var isOver = false
    }

    private enum Ending {
        case stopped
        case failed(any Error)
    }

    init(_ query: DatabaseQuery, _ printer: Printer) {
        self.query = query
        // The caller's thread no longer uses it: until the end it is used only under the lock.
        nonisolated(unsafe) let printer = printer
        printing = unsafe Locked(Printing(printer: printer))
    }

    /// Returns when a signal requests it, or the reader of the output is gone.
    func run() throws {
        let interrupts = Interrupts { _ in self.end(.stopped) }
        defer { interrupts.restore() }
        let listener = query.live().addListener { self.handle($0) }
        waitForEnd()
        listener.remove()
        // The result being printed is finished first.
        printing.withLock { $0.isOver = true }
        if case .failed(let error) = ending.withLock({ $0 }) { try DesignViews.run { throw error } }
    }

    /// That the reader of a pipe is gone is only known by checking.
    private func waitForEnd() {
        while ended.wait(timeout: .now() + .milliseconds(250)) == .timedOut {
            if Terminal.readerOfOutputIsGone { return end(.stopped) }
        }
    }

    private func handle(_ result: Result<QueryResult, any Error>) {
        do {
            let query = query
            let rows = try result.get().map { row in try row.line(includesDocument: query.includeDocs).open }
            try printing.withLock { (printing) throws in
                guard !printing.isOver else { return }
                try unsafe QueryFollower.print(rows, after: printing.rows, printing.printer)
                printing.rows = rows
            }
        } catch {
            end(.failed(error))
        }
    }

    /// Prints the difference between two results: first the rows that are gone, then the new ones.
    private static func print(_ new: [[UInt8]], after old: [[UInt8]], _ printer: Printer) throws(StorageError) {
        for row in rows(of: old, without: new) { try printer.line(bytes: row + Array(#","removed":true}"#.utf8)) }
        for row in rows(of: new, without: old) { try printer.line(bytes: row + [UInt8(ascii: "}")]) }
        try printer.flush()
    }

    /// Returns the rows of `a` that are not in `b`. A row that is in both several times is counted each time.
    private static func rows(of a: [[UInt8]], without b: [[UInt8]]) -> [[UInt8]] {
        var counts: [[UInt8]: Int] = [:]
        for row in b { counts[row, default: 0] += 1 }
        return a.filter { row in
            guard let count = counts[row], count > 0 else { return true }
            counts[row] = count - 1
            return false
        }
    }

    private func end(_ new: Ending) {
        ending.withLock { ending in
            if ending == nil { ending = new }
        }
        ended.signal()
    }
}
