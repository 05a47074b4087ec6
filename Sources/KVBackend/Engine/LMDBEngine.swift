internal import StorageProtocol

/// A store of documents in an LMDB file.
final class LMDBEngine: KVEngine<LMDBStore>, StorageEngine, @unchecked Sendable {
    // Sendable as its superclass.
    let storageType = StorageType.lmdb
    let sharing = StorageSharing.multiProcess
    init(directory: String, options: StorageOptions, mapSize: Int? = nil) throws(StorageError) {
        let store = try LMDBStore(directory: directory, options: options, mapSize: mapSize)
        super.init(store: store, options: options)
        try lay()
    }

    func beginRead() throws(StorageError) -> any ReadTransaction {
        LMDBReadTransaction(self, try beginBaseRead(), isWriter: false)
    }

    func beginWrite() throws(StorageError) -> any WriteTransaction {
        LMDBWriteTransaction(writing: self, try beginBaseWrite())
    }

    let rewritesInSteps = true

    func beginRewrite(toDirectory directory: String) throws(StorageError) -> any StorageRewrite {
        try checkOpen()
        if options.readOnly { throw .readOnly }
        if compression == .lz4 { try renewDictionary() }
        return try KVRewrite(of: self, to: LMDBStore(copyIn: directory, mapSize: store.mapSize))
    }

    /// In the present files, whose writers use the new one at once: a version that only the copy had might be given twice.
    private func renewDictionary() throws(StorageError) {
        let transaction = LMDBWriteTransaction(writing: self, try beginBaseWrite())
        defer { transaction.rollback() }
        if try transaction.renewDictionary() { try transaction.commit() }
    }

    func copy(
        toDirectory directory: String,
        progress: (_ done: UInt64, _ of: UInt64) throws(StorageError) -> Void
    ) throws(StorageError) {
        try checkOpen()
        let options = StorageOptions(create: true, durability: .normal)
        let target = try LMDBStore(directory: directory, options: options, mapSize: store.mapSize)
        defer { target.close() }
        try copy(to: target, progress)
    }
}

/// A snapshot of an LMDB file.
final class LMDBReadTransaction: KVReadTransaction<LMDBStore>, ReadTransaction {}

/// The write transaction of an LMDB file.
final class LMDBWriteTransaction: KVWriteTransaction<LMDBStore>, WriteTransaction {}
