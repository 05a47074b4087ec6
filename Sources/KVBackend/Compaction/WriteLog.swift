internal import StorageProtocol

/// Which entries this process's commits have changed since a rewrite began. Whoever copies takes them and copies them
/// again.
///
/// An entry is in the log before its commit can be seen. It may be there in vain, never missing. Versions are counted,
/// so that what another process commits is noticed.
final class WriteLog: CommitObserver {
    /// What the log may take in memory, in bytes, and as much again for a commit that is going on.
    static let limit = 64 << 20

    fileprivate struct State {
        /// The last version whose changes are known.
        var version: UInt64 = 0
        /// What commits have changed that are over.
        var keys = LoggedKeys()
        /// What a commit changes that is going on, and the version that it makes.
        var coming: [LoggedKey] = []
        var comingVersion: UInt64?
        /// Why the copy cannot follow any more.
        var failure: StorageError?
    }

    private let state = Locked(State())
    /// What this one may take.
    let limit: Int

    /// Whether it is of a rewrite, of which there may be one; there may be several of copies.
    let isExclusive: Bool

    /// - Parameter limit: another one for tests.
    init(limit: Int = WriteLog.limit, isExclusive: Bool = true) {
        self.limit = limit
        self.isExclusive = isExclusive
    }

    /// The log begins after this version.
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

    /// Takes entries out, at most `count`. A snapshot that begins after this sees what was done to them.
    func take(atMost count: Int) throws(StorageError) -> [LoggedKey] {
        let taken = state.withLock { state -> Result<[LoggedKey], StorageError> in
            if let failure = state.failure { return .failure(failure) }
            return .success(state.keys.take(atMost: count))
        }
        return try taken.get()
    }

    /// Gives back what was taken and not copied.
    func putBack(_ keys: some Sequence<LoggedKey>) {
        state.withLock { state in
            guard state.failure == nil else { return }
            for key in keys { state.keys.insert(key) }
        }
    }

    /// - Throws: `conflict` (409) where a snapshot of this version holds changes that the log does not know.
    func check(_ version: UInt64) throws(StorageError) {
        let failure = state.withLock { state -> StorageError? in
            if state.failure == nil, version > (state.comingVersion ?? state.version) {
                state.giveUp(because: WriteLog.foreign)
            }
            return state.failure
        }
        if let failure { throw failure }
    }

    /// How many entries wait, and whether they have become many.
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
