/// A packed copy in the making of an open store. It is kept up to date while the store is being written to.
///
/// The work is done in steps, each on a snapshot of its own, so that no snapshot lives for long. Nothing is locked
/// between steps. The copy includes what this process commits while it is being made. A commit by another process is
/// detected and ends the rewrite.
///
/// Calls may come from any thread, but only one at a time, and not inside a write transaction of that thread. `cancel`
/// may follow any call. After an error only `cancel` may be called.
public protocol StorageRewrite: AnyObject, Sendable {
    /// Does a bounded amount of work.
    ///
    /// - Parameter limit: Roughly how long the step may take. It may stop earlier, and does a little in any case.
    /// - Returns: How far the copy is. Once `isComplete` is true, `finish` has little left to do, and further steps
    ///   copy what was written since.
    /// - Throws: `conflict` (409) if another process has written to the store, or if this one has written more than the
    ///   copy could follow: begin again; `notOpen` (503) once the engine is closed; `full` (507); a storage failure.
    func step(limit: Duration) throws(StorageError) -> RewriteProgress

    /// Brings the copy up to the last commit, syncs it and closes it. The directory then holds a complete store with
    /// the same sequences and counters, which the factory can open. Called once, under the `writer` lock, while no
    /// write transaction of this process is open. A copy that is not yet complete is completed first, however long that
    /// takes.
    ///
    /// - Throws: As `step`.
    func finish() throws(StorageError)

    /// Ends the work and closes the copy's files. The caller removes what is in the directory. Does nothing after
    /// `finish` and at a second call.
    func cancel()
}

/// How far a rewrite is.
public struct RewriteProgress: Sendable, Equatable {
    /// The amount copied, in a unit of the engine's choice; never more than `total`.
    public var done: UInt64
    /// The amount to copy, as far as known.
    public var total: UInt64
    /// Whether `finish` has little left to do.
    public var isComplete: Bool
    /// Whether writers are about to outrun the copy. The next step should then follow without a pause.
    public var isUrgent: Bool

    public init(done: UInt64, total: UInt64, isComplete: Bool, isUrgent: Bool = false) {
        self.done = min(done, total)
        self.total = total
        self.isComplete = isComplete
        self.isUrgent = isUrgent
    }
}
