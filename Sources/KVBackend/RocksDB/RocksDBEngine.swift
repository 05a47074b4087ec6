#if RocksDB
internal import CSetteeRocksDB
internal import StorageProtocol

/// A store of documents in a RocksDB database.
final class RocksDBEngine: KVEngine<RocksDBStore>, StorageEngine, @unchecked Sendable {
    // Sendable like its superclass.
    let storageType = StorageType.rocksdb
    let capabilities = StorageCapabilities.ofRocksDB
    let openingProblems: [StorageProblem]

    init(directory: String, options: StorageOptions, memory: Int = RocksDBStore.usualMemory) throws(StorageError) {
        let store = try RocksDBStore(directory: directory, options: options, memory: memory)
        openingProblems = store.openingProblems
        super.init(store: store, options: store.options)
        try lay()
    }

    func takeBackgroundProblems() -> [StorageProblem] { store.takeBackgroundProblem().map { [$0] } ?? [] }

    func beginRead() throws(StorageError) -> any ReadTransaction {
        RocksDBReadTransaction(self, try beginBaseRead(), isWriter: false)
    }

    func beginWrite(patience: Duration?) throws(StorageError) -> any WriteTransaction {
        RocksDBWriteTransaction(writing: self, try beginBaseWrite(patience: patience))
    }

    func copy(
        toDirectory directory: String,
        options copyOptions: StorageCopyOptions,
        progress: (_ done: UInt64, _ of: UInt64) throws(StorageError) -> Void
    ) throws(StorageError) {
        try checkOpen()
        try requireSame(copyOptions)
        if options.besideWriter {
            throw StorageError(
                .inUse,
                "While another process has the database open, it cannot be copied. Close it there, or export it."
            )
        }
        try progress(0, 1)
        try using { (store) throws(StorageError) in try store.link(to: directory) }
        try progress(1, 1)
    }

    func compact(
        progress: (_ done: UInt64, _ of: UInt64) throws(StorageError) -> Void
    ) throws(StorageError) {
        try checkOpen()
        if options.readOnly { throw .readOnly }
        // Not on a thread that writes. After a failed write nobody may have a transaction.
        try withoutWriters(
            waiting: { () throws(StorageError) in try progress(0, RocksDBStore.compactionSteps) },
            { () throws(StorageError) in
                try using { (store) throws(StorageError) in try store.flush() }
            }
        )
        try using { (store) throws(StorageError) in
            try store.compact { (done, total) throws(StorageError) in
                try checkOpen()
                try progress(done, total)
            }
        }
    }
}

/// A snapshot of a RocksDB database.
final class RocksDBReadTransaction: KVReadTransaction<RocksDBStore>, ReadTransaction {}

/// The write transaction of a RocksDB database.
final class RocksDBWriteTransaction: KVWriteTransaction<RocksDBStore>, WriteTransaction {}
#endif
