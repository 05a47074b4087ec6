internal import Dispatch
internal import Settee
internal import StorageProtocol

/// Prints the documents that a query finds, then those that are found later or change and those that are no longer
/// found, until it is stopped.
final class FindFollower: Sendable {
    private struct State {
        var hasChanged = false
        var isStopped = false
    }

    private let state = Locked(State())
    private let woken = DispatchSemaphore(value: 0)
    private let stopped = DispatchSemaphore(value: 0)

    /// Returns when a signal requests it, or the reader of the output is gone.
    func run(_ query: FindQuery, _ printer: Printer) throws {
        let interrupts = Interrupts { _ in
            self.state.withLock { $0.isStopped = true }
            self.woken.signal()
            self.stopped.signal()
        }
        defer { interrupts.restore() }
        // Before the first result, so that nothing is missed between the two.
        let listener = query.database.addChangeListener { _ in self.noteChange() }
        defer { listener.remove() }
        var printed: [DocumentID: [UInt8]] = [:]
        repeat {
            printed = try print(query, after: printed, printer)
            // While others write much, it runs at most five times a second.
            if stopped.wait(timeout: .now() + .milliseconds(200)) == .success { return }
        } while waitForChange()
    }

    private func noteChange() {
        let isFirst = state.withLock { state in
            defer { state.hasChanged = true }
            return !state.hasChanged
        }
        if isFirst { woken.signal() }
    }

    /// Returns false if it is to end. That the reader of a pipe is gone is only known by checking.
    private func waitForChange() -> Bool {
        while true {
            let state = state.withLock { state in
                defer { state.hasChanged = false }
                return state
            }
            if state.isStopped { return false }
            if state.hasChanged { return true }
            let isLate = woken.wait(timeout: .now() + .milliseconds(250)) == .timedOut
            if isLate, Terminal.readerOfOutputIsGone { return false }
        }
    }

    /// Prints the difference to what was printed before: first the documents that are gone, then those that are new or
    /// have changed.
    ///
    /// - Returns: what is found now.
    private func print(
        _ query: FindQuery,
        after old: [DocumentID: [UInt8]],
        _ printer: Printer
    ) throws -> [DocumentID: [UInt8]] {
        var found: [DocumentID: [UInt8]] = [:]
        var lines: [[UInt8]] = []
        for row in try query.run() {
            let line = try row.properties.canonicalBytes()
            found[row.documentID] = line
            if old[row.documentID] != line { lines.append(line) }
        }
        for id in old.keys.filter({ found[$0] == nil }).sorted() {
            try printer.line(bytes: JSONLine().string("_id", id.string).bool("_removed", true).object)
        }
        for line in lines { try printer.line(bytes: line) }
        try printer.flush()
        return found
    }
}
