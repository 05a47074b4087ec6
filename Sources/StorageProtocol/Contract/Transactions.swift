/// A consistent snapshot of a store. See `StorageEngine` for threads and failures.
///
/// Closures given to a transaction may read through it again (nested reads), but not write: that is a `callback` error
/// (593). What a view hands out is valid only inside the closure. After `end` every call throws `notOpen` (503).
public protocol ReadTransaction: RevisionReader, IndexReader, BlobReferenceReader {
    /// Ends the snapshot. A second call does nothing.
    func end()
}

/// The one write transaction. Its reads see its own writes.
public protocol WriteTransaction: ReadTransaction, RevisionWriter, IndexWriter, BlobReferenceWriter {
    /// Makes all writes visible and, as the engine's durability says, permanent, or throws and leaves none of them. The
    /// change counter grows if anything was written. The transaction is over either way.
    func commit() throws(StorageError)

    /// Undoes everything. Never fails: what cannot be undone now is undone at the next open. A second call, or one
    /// after `commit`, does nothing. `end` on a write transaction does this.
    func rollback()
}
