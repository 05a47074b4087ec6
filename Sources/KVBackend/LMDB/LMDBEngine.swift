internal import StorageProtocol

/// A store of documents in an LMDB file.
final class LMDBEngine: KVEngine<LMDBStore>, StorageEngine, @unchecked Sendable {
    // Sendable like its superclass.
    let storageType = StorageType.lmdb
    let capabilities = StorageCapabilities.ofLMDB
    /// The approximate duration of a step of a copy.
    private let copyStep: Duration

    /// - Parameters:
    ///   - mapSize: See `LMDBStore`.
    ///   - copyStep: A different duration for tests.
    init(
        directory: String,
        options: StorageOptions,
        mapSize: Int? = nil,
        copyStep: Duration = .milliseconds(50)
    ) throws(StorageError) {
        self.copyStep = copyStep
        let store = try LMDBStore(directory: directory, options: options, mapSize: mapSize)
        super.init(store: store, options: options)
        try lay()
    }

    override func didFindDamage() { store.suspect() }

    func beginRead() throws(StorageError) -> any ReadTransaction {
        LMDBReadTransaction(self, try beginBaseRead(), isWriter: false)
    }

    func beginWrite(patience: Duration?) throws(StorageError) -> any WriteTransaction {
        LMDBWriteTransaction(writing: self, try beginBaseWrite(patience: patience))
    }

    func beginRewrite(
        toDirectory directory: String,
        options copyOptions: StorageCopyOptions
    ) throws(StorageError) -> any StorageRewrite {
        try checkOpen()
        try requireSame(copyOptions)
        if options.readOnly { throw .readOnly }
        if compression == .lz4 { try renewDictionary() }
        return try KVRewrite(of: self, to: LMDBStore(copyIn: directory, mapSize: store.mapSize))
    }

    /// The dictionary is stored in the current files, whose writers use the new one at once: a version that only the
    /// copy has might be used twice.
    private func renewDictionary() throws(StorageError) {
        let transaction = LMDBWriteTransaction(writing: self, try beginBaseWrite())
        defer { transaction.rollback() }
        if try transaction.renewDictionary() { try transaction.commit() }
    }

    func copy(
        toDirectory directory: String,
        options copyOptions: StorageCopyOptions,
        progress: (_ done: UInt64, _ of: UInt64) throws(StorageError) -> Void
    ) throws(StorageError) {
        try checkOpen()
        try requireSame(copyOptions)
        if !options.readOnly, try copyInSteps(toDirectory: directory, progress) { return }
        let options = StorageOptions(create: true, durability: .normal)
        let target = try LMDBStore(directory: directory, options: options, mapSize: store.mapSize)
        defer { target.close() }
        try copy(to: target, progress)
    }

    /// Copies on short snapshots, so that pages which writers free can be reused, and follows what this process writes.
    /// Its writers wait at the end.
    ///
    /// - Returns: False if another process has written during the copy, or if this thread is writing: the directory is
    ///   then empty again.
    private func copyInSteps(
        toDirectory directory: String,
        _ progress: (_ done: UInt64, _ of: UInt64) throws(StorageError) -> Void
    ) throws(StorageError) -> Bool {
        var stop: StorageError?
        var total: UInt64 = 0
        do throws(StorageError) {
            let target = try LMDBStore(copyIn: directory, mapSize: store.mapSize)
            let rewrite = try KVRewrite(of: self, to: target, log: WriteLog(isExclusive: false))
            defer { rewrite.cancel() }
            var state: RewriteProgress
            func tell(_ state: RewriteProgress) throws(StorageError) {
                try checkOpen()
                do throws(StorageError) {
                    try progress(state.done, state.total)
                } catch {
                    stop = error
                    throw error
                }
            }
            repeat {
                state = try rewrite.step(limit: copyStep)
                try tell(state)
            } while !state.isComplete
            // Not in a write transaction: LMDB waits without end for a process that was stopped inside of its own.
            // What another process commits meanwhile is noticed by the rewrite.
            try withoutWriters(
                waiting: { () throws(StorageError) in try tell(state) },
                { () throws(StorageError) in try rewrite.finish() }
            )
            total = state.total
        } catch {
            guard stop == nil, error.code == .conflict || error.code == .callback else { throw error }
            for name in [LMDBFolder.dataName, LMDBFolder.lockName] { StoreFiles.remove(directory + "/" + name) }
            return false
        }
        try progress(total, total)
        return true
    }
}

/// A snapshot of an LMDB file.
final class LMDBReadTransaction: KVReadTransaction<LMDBStore>, ReadTransaction {}

/// The write transaction of an LMDB file.
final class LMDBWriteTransaction: KVWriteTransaction<LMDBStore>, WriteTransaction {}
