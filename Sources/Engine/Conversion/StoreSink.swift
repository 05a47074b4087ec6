internal import StorageProtocol

/// A store that is being built. It receives the content of another store in transactions of a few MiB, so that no
/// engine has to hold more.
final class StoreSink {
    /// A transaction is committed after this many bytes.
    private static let batchBytes = 4 << 20
    /// The approximate cost of an entry besides its bytes, because many small entries are a lot for an engine as well.
    private static let entryBytes = 64

    private let engine: any StorageEngine
    private var transaction: (any WriteTransaction)?
    private var pending = 0

    init(_ engine: any StorageEngine) { self.engine = engine }

    deinit { transaction?.rollback() }

    /// Writes one item of about this many bytes.
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

    /// Ends the transaction without committing it.
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
