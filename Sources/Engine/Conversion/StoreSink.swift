internal import StorageProtocol

/// A store that is being built, and takes what another one holds in transactions of a few MiB, so that no engine has to
/// hold more.
final class StoreSink {
    /// After so many bytes a transaction is committed.
    private static let batchBytes = 4 << 20
    /// What an entry takes besides its bytes, about: many small ones are a lot for an engine as well.
    private static let entryBytes = 64

    private let engine: any StorageEngine
    private var transaction: (any WriteTransaction)?
    private var pending = 0

    init(_ engine: any StorageEngine) { self.engine = engine }

    deinit { transaction?.rollback() }

    /// Writes one thing of about so many bytes.
    func write(
        bytes: Int,
        _ body: (any WriteTransaction) throws(StorageError) -> Void
    ) throws(StorageError) {
        let present: any WriteTransaction
        if let transaction { present = transaction } else { present = try engine.beginWrite() }
        transaction = present
        try body(present)
        pending += bytes + StoreSink.entryBytes
        if pending >= StoreSink.batchBytes { try commit() }
    }

    /// Commits what was written.
    func commit() throws(StorageError) {
        pending = 0
        guard let present = transaction.take() else { return }
        try present.commit()
    }

    /// Ends the transaction without it.
    func cancel() {
        pending = 0
        transaction.take()?.rollback()
    }

    /// Removes what was committed of an index.
    func dropIndex(_ name: String) throws(StorageError) {
        try engine.write { (transaction) throws(StorageError) in
            if try transaction.indexState(name) != nil { try transaction.dropIndex(name) }
        }
    }
}
