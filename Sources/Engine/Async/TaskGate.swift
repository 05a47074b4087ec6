package import StorageProtocol

/// Lets the work of a task begin unless the task was cancelled. Work that has begun is finished.
package final class TaskGate: Sendable {
    /// The point up to which a cancelled task does not do its work.
    package enum End: Sendable {
        /// The work begins.
        case start
        /// The work begins a write transaction.
        case writing
        /// No such point: the work may end anywhere and leaves nothing behind.
        case never
    }

    private struct State {
        var hasBegun = false
        var isCancelled = false
    }

    private let end: End
    private let state = Locked(State())

    package init(until end: End) { self.end = end }

    /// Does work on this thread, which `cancel` ends from another one.
    package func run<R>(_ body: () throws -> R) rethrows -> R { try ThreadContext.current.with(self, body) }

    /// Whether the task was cancelled.
    var isCancelled: Bool { state.withLock { $0.isCancelled } }

    /// Whether it was cancelled before its work had begun.
    var isClosed: Bool { state.withLock { $0.isCancelled && !$0.hasBegun } }

    /// The work is about to begin.
    ///
    /// - Returns: false if it must not.
    func begin() -> Bool { pass(.start) }

    /// A write transaction is about to begin.
    ///
    /// - Throws: `cancelled` (596) if it must not.
    func beginWriting() throws(StorageError) {
        guard pass(.writing) else { throw StorageError(.cancelled, "The task was cancelled.") }
    }

    /// - Throws: `cancelled` (596) once the task was cancelled.
    package func check() throws(StorageError) {
        if isCancelled { throw StorageError(.cancelled, "The task was cancelled.") }
    }

    /// A step of preparation is about to begin.
    ///
    /// - Throws: `cancelled` (596) if it is not needed: the task was cancelled before its work had begun.
    func checkOpen() throws(StorageError) {
        if isClosed { throw StorageError(.cancelled, "The task was cancelled.") }
    }

    private func pass(_ point: End) -> Bool {
        state.withLock { state in
            if state.isCancelled && !state.hasBegun { return false }
            if end == point { state.hasBegun = true }
            return true
        }
    }

    /// The task was cancelled.
    ///
    /// - Returns: whether it need not wait for its work.
    @discardableResult
    package func cancel() -> Bool {
        state.withLock { state in
            state.isCancelled = true
            return !state.hasBegun
        }
    }
}
