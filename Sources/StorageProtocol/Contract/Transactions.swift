/// A consistent snapshot of a store. See `StorageEngine` for threads and failures.
///
/// Closures passed to a transaction may read through it again (nested reads), but a write throws `callback` (593). A
/// view that is passed to a closure is valid only inside it. After `end` every call throws `notOpen` (503).
public protocol ReadTransaction: RevisionReader, IndexReader, BlobReferenceReader {
    /// Ends the snapshot. A second call does nothing.
    func end()
}

/// The one write transaction. Its reads see its own writes.
public protocol WriteTransaction: ReadTransaction, RevisionWriter, IndexWriter, BlobReferenceWriter {
    /// Makes all writes visible and, according to the engine's durability, permanent, or throws and leaves none of
    /// them. The change counter grows if anything was written. The transaction is over in either case.
    func commit() throws(StorageError)

    /// Undoes all writes. Never fails: what cannot be undone now is undone when the store is next opened. Does nothing
    /// at a second call or after `commit`. `end` on a write transaction does the same.
    func rollback()
}
