internal import StorageProtocol

/// A packed copy of a store in the making. docs/internals/compaction.md describes it.
final class KVRewrite<Store: RewritableStore>: StorageRewrite {
    private struct State {
        var place = CopyPosition()
        /// Bytes of keys and values that were copied in order, and roughly the total to copy.
        var done: UInt64 = 0
        var total: UInt64
        /// Whether the bulk of the copy is on disk.
        var isSynced = false
        /// Steps since everything was copied, in which the copy only followed the writers.
        var rounds = 0
        var isOver = false
        /// The error that ended the work: entries that were taken from the log may be missing from the copy.
        var failure: StorageError?
    }

    /// How many changed entries a step copies again.
    private static var entriesAtOnce: Int { 4096 }
    /// The maximum number of bytes of keys and values that a step copies. They stay in memory until it commits.
    private static var bytesAtOnce: Int { 32 << 20 }
    /// Bytes between two checks of the time.
    private static var bytesBetweenLooks: Int { 64 << 10 }
    /// This number of changed entries or fewer can be left for `finish`.
    private static var fewEntries: Int { 512 }
    /// After this many rounds `finish` must handle what is left, however fast the writers are.
    private static var mostRounds: Int { 64 }

    private let engine: KVEngine<Store>
    private let target: Store
    private let log: WriteLog
    private let state: Locked<State>

    /// - Parameter target: An empty store, whose entries are on disk only after `checkpoint`. It is closed in the end.
    init(of engine: KVEngine<Store>, to target: Store, log: WriteLog = WriteLog()) throws(StorageError) {
        let figures: StorageStatistics
        do throws(StorageError) {
            figures = try engine.using { (store) throws(StorageError) in
                let figures = try store.statistics()
                try store.follow(log)
                return figures
            }
        } catch {
            target.abandon()
            throw error
        }
        self.engine = engine
        self.target = target
        self.log = log
        state = Locked(State(total: max(1, figures.bytesOnDisk - min(figures.bytesOnDisk, figures.freeBytes))))
    }

    deinit { cancel() }

    func step(limit: Duration) throws(StorageError) -> RewriteProgress {
        try state.withLock { (state) throws(StorageError) in
            try requireGoingOn(state)
            try advance(&state, until: .now + limit)
            let (count, isLarge) = log.backlog
            var isComplete = false
            if state.place.table == nil {
                state.rounds += 1
                let isFew = count <= KVRewrite.fewEntries || state.rounds > KVRewrite.mostRounds
                // The bulk is synced while no writer waits. What is written during this time is left for the next step.
                if isFew, !state.isSynced {
                    try target.checkpoint()
                    state.isSynced = true
                } else {
                    isComplete = isFew
                }
            }
            return RewriteProgress(
                done: min(state.done, state.total),
                total: state.total,
                isComplete: isComplete,
                isUrgent: isLarge
            )
        }
    }

    func finish() throws(StorageError) {
        try state.withLock { (state) throws(StorageError) in
            try requireGoingOn(state)
            while state.place.table != nil || log.backlog.count > 0 { try advance(&state, until: nil) }
            try compare()
            state.isOver = true
            store.unfollow(log)
            defer { target.close() }
            try target.checkpoint()
        }
    }

    func cancel() {
        state.withLock { state in
            guard !state.isOver else { return }
            state.isOver = true
            store.unfollow(log)
            target.abandon()
        }
    }

    private var store: Store { engine.store }

    private func requireGoingOn(_ state: borrowing State) throws(StorageError) {
        if state.isOver { throw StorageError(.notOpen, "This rewriting of the files is over. Begin another one.") }
        if let failure = state.failure { throw failure }
    }

    // MARK: - Copying

    /// Copies changed entries again, and then more entries, on one snapshot.
    private func advance(_ state: inout State, until end: ContinuousClock.Instant?) throws(StorageError) {
        do throws(StorageError) {
            try copyMore(&state, until: end)
        } catch {
            state.failure = error
            throw error
        }
    }

    private func copyMore(_ state: inout State, until end: ContinuousClock.Instant?) throws(StorageError) {
        // In this order, so that the snapshot includes the changes to these entries.
        let changed = try log.take(atMost: KVRewrite.entriesAtOnce)
        let source = try engine.beginBaseRead()
        defer {
            source.end()
            engine.didEnd(isWriter: false)
        }
        try log.check(source.version)
        let writer = try target.beginWrite()
        defer { writer.end() }
        var bytes = 0
        for (number, entry) in changed.enumerated() where state.place.covers(entry) {
            guard bytes < KVRewrite.bytesAtOnce else {
                log.putBack(changed[number...])
                break
            }
            bytes += try copyAgain(entry, from: source, to: writer)
        }
        let changedBytes = bytes
        while bytes < KVRewrite.bytesAtOnce, state.place.table != nil {
            bytes += try state.place.copy(KVRewrite.bytesBetweenLooks, from: source, to: writer)
            if let end, ContinuousClock.now >= end { break }
        }
        try writer.commit()
        state.done += UInt64(bytes - changedBytes)
    }

    /// Brings one entry of the copy to the snapshot's state.
    ///
    /// - Returns: The number of bytes written.
    private func copyAgain(
        _ entry: LoggedKey,
        from source: Store.Transaction,
        to writer: Store.Transaction
    ) throws(StorageError) -> Int {
        try unsafe entry.key.span.bytes.withUnsafeBytes { (key) throws(StorageError) in
            try unsafe source.withValue(of: key, in: entry.table) { (value) throws(StorageError) -> Int in
                guard let value = unsafe value else {
                    _ = try unsafe writer.remove(key, in: entry.table, mode: .known)
                    return 0
                }
                _ = try unsafe writer.put(key, in: entry.table, length: value.count, mode: .upsert) {
                    unsafe $0.copyMemory(from: value)
                }
                return key.count + value.count
            }
        }
    }

    /// Checks that both have the same number of entries in each table, and that every commit has been copied.
    private func compare() throws(StorageError) {
        let source = try engine.beginBaseRead()
        defer {
            source.end()
            engine.didEnd(isWriter: false)
        }
        try log.check(source.version)
        guard log.backlog.count == 0 else {
            throw StorageError(.conflict, "The database was written to while its new files were being finished.")
        }
        let copy = try target.beginRead()
        defer { copy.end() }
        for table in Table.allCases where try source.count(of: table) != copy.count(of: table) {
            throw StorageError(
                .unexpected,
                "The rewritten files do not hold what the old ones do (table '\(table.name)'); they were not taken."
            )
        }
    }
}
