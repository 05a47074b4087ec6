/// A packed copy of an open store in the making, kept up to date while the store is written to.
///
/// The work is done in steps, each on a snapshot of its own, so that it pins nothing for long. Nobody is locked out
/// between steps. What this process commits meanwhile is brought along; what another process commits is noticed, and
/// ends it.
///
/// Calls may come from any thread, but one at a time, and not inside a write transaction of that thread; `cancel` may
/// come after anything. When an error was thrown, only `cancel` is left.
public protocol StorageRewrite: AnyObject, Sendable {
    /// Does a bounded piece of the work.
    ///
    /// - Parameter limit: how long the step may take, about; it may stop earlier, and does a little in any case.
    /// - Returns: how far the copy is. Once `isComplete`, `finish` has little left to do, and further steps do what was
    ///   written since.
    /// - Throws: `conflict` (409) where another process has written to the store, or this one has written more than the
    ///   copy could follow: begin anew; `notOpen` (503) once the engine is closed; `full` (507); a storage failure.
    func step(limit: Duration) throws(StorageError) -> RewriteProgress

    /// Brings the copy to the last commit, syncs and closes it: the directory then holds a complete store with the same
    /// sequences and counters, which the factory opens. Called once, under the `writer` lock, while no write
    /// transaction of this process is open. A copy that is not yet complete is completed first, in whatever time that
    /// takes.
    ///
    /// - Throws: as `step`.
    func finish() throws(StorageError)

    /// Ends the work and closes the copy's files; what is in the directory is the caller's to remove. After `finish`,
    /// and at a second call, nothing happens.
    func cancel()
}

/// How far a rewrite is.
public struct RewriteProgress: Sendable, Equatable {
    /// What was copied, in a unit of the engine's choice; never more than `total`.
    public var done: UInt64
    /// What is to be copied, as far as known.
    public var total: UInt64
    /// Whether `finish` has little left to do.
    public var isComplete: Bool
    /// Whether writers are about to outrun the copy: the next step should come without a pause.
    public var isUrgent: Bool

    public init(done: UInt64, total: UInt64, isComplete: Bool, isUrgent: Bool = false) {
        self.done = min(done, total)
        self.total = total
        self.isComplete = isComplete
        self.isUrgent = isUrgent
    }
}
