internal import StorageProtocol

/// Records which entries this process's commits have changed since a rewrite began. The rewrite or copy takes them and
/// copies them again.
///
/// An entry is in the log before its commit becomes visible. It may be there unnecessarily, but is never missing.
/// Versions are counted, so that commits of other processes are detected.
final class WriteLog: CommitObserver {
    /// How many bytes of memory the log may take, and the same again for a commit in progress.
    static let limit = 64 << 20

    fileprivate struct State {
        /// The last version whose changes are known.
        var version: UInt64 = 0
        /// The changes of completed commits.
        var keys = LoggedKeys()
        /// The changes of a commit in progress, and the version that it makes.
        var coming: [LoggedKey] = []
        var comingVersion: UInt64?
        /// The reason why the copy can no longer follow.
        var failure: StorageError?
    }

    private let state = Locked(State())
    /// The limit of this log.
    let limit: Int

    /// Whether it belongs to a copy: there may be several copies, but only one rewrite.
    let isExclusive: Bool

    /// - Parameter limit: A different limit for tests.
    init(limit: Int = WriteLog.limit, isExclusive: Bool = true) {
        self.limit = limit
        self.isExclusive = isExclusive
    }

    /// Sets the version after which the log begins.
    func begin(after version: UInt64) { state.withLock { $0.version = version } }

    // MARK: For writers

    func willCommit(_ version: UInt64, _ keys: [LoggedKey], cost: Int) {
        state.withLock { state in
            guard state.failure == nil else { return }
            guard version == state.version &+ 1 else { return state.giveUp(because: WriteLog.foreign) }
            guard state.keys.cost &+ cost <= limit else { return state.giveUp(because: WriteLog.outrun) }
            state.coming = keys
            state.comingVersion = version
        }
    }

    func didCommit(_ isDone: Bool) {
        state.withLock { state in
            guard state.failure == nil, let version = state.comingVersion else { return }
            guard isDone else { return state.giveUp(because: WriteLog.failed) }
            for key in state.coming { state.keys.insert(key) }
            state.coming = []
            state.comingVersion = nil
            state.version = version
        }
    }

    // MARK: For the copier

    /// Takes out at most `count` entries. A snapshot that begins after this includes the changes to them.
    func take(atMost count: Int) throws(StorageError) -> [LoggedKey] {
        let taken = state.withLock { state -> Result<[LoggedKey], StorageError> in
            if let failure = state.failure { return .failure(failure) }
            return .success(state.keys.take(atMost: count))
        }
        return try taken.get()
    }

    /// Returns entries that were taken but not copied.
    func putBack(_ keys: some Sequence<LoggedKey>) {
        state.withLock { state in
            guard state.failure == nil else { return }
            for key in keys { state.keys.insert(key) }
        }
    }

    /// - Throws: `conflict` (409) if a snapshot of this version contains changes that are not in the log.
    func check(_ version: UInt64) throws(StorageError) {
        let failure = state.withLock { state -> StorageError? in
            if state.failure == nil, version > (state.comingVersion ?? state.version) {
                state.giveUp(because: WriteLog.foreign)
            }
            return state.failure
        }
        if let failure { throw failure }
    }

    /// How many entries are waiting, and whether this is a large number.
    var backlog: (count: Int, isLarge: Bool) { state.withLock { ($0.keys.count, $0.keys.cost > limit / 4) } }

    private static let foreign = StorageError(
        .conflict,
        "Another program has written to the database while its files were being rewritten. Try again."
    )
    private static let outrun = StorageError(
        .conflict,
        "More was written to the database than the rewriting of its files could follow. Try again when less is written."
    )
    private static let failed = StorageError(
        .conflict,
        "A commit failed while the files of the database were being rewritten. Try again."
    )
}

extension WriteLog.State {
    fileprivate mutating func giveUp(because failure: StorageError) {
        self.failure = failure
        keys = LoggedKeys()
        coming = []
        comingVersion = nil
    }
}
