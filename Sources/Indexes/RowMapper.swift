package import SetteeEngine
package import StorageProtocol

/// Makes the rows of an index from documents: a map function, or the paths of a value index.
package protocol RowMapper: Sendable {
    /// Mappers of one version make the same rows.
    var version: IndexVersion { get }
    var order: KeyOrder { get }
    /// Whether it may read the IDs of documents' revisions.
    var readsRevisions: Bool { get }
    /// Whether it is called for design documents.
    var takesDesignDocuments: Bool { get }
    /// What the index holds beside its rows; nil: nothing.
    var derivedEntries: (any DerivedEntries)? { get }

    /// Adds the rows of documents, none for one for which it fails. Called on several threads at the same time.
    ///
    /// It calls `rows.begin` for every document of the group, in their order, also for those that have no rows, because
    /// they were deleted (`body` is nil) or are none of its business. The rows that a document had before go.
    ///
    /// - Returns: a document for which it failed.
    /// - Throws: an error that ends the update.
    func map(
        _ group: DocumentChunk.Group,
        of chunk: DocumentChunk,
        into rows: inout EmittedRows
    ) throws(StorageError) -> DocumentChunk.Entry?

    /// Returns what makes the same rows from records as the store lends them. Nil if only `map` can: it runs code of
    /// the program, or needs more than the record, or takes design documents.
    func recordMapper() -> (any RecordMapper)?
}

/// Makes the rows of one document after another, within a walk over the records of a store. It is used on one thread,
/// and keeps its memory from one document to the next.
package protocol RecordMapper: AnyObject {
    /// Begins the document and adds its rows.
    ///
    /// - Parameter record: of a live document, not a design document.
    /// - Throws: an error that ends the update.
    func map(_ record: borrowing RecordView, into rows: inout EmittedRows) throws(StorageError)
}

extension RowMapper {
    package func recordMapper() -> (any RecordMapper)? { nil }
    package var readsRevisions: Bool { false }
    package var takesDesignDocuments: Bool { false }
    package var derivedEntries: (any DerivedEntries)? { nil }
}

/// What an index holds beside its rows and makes from them, as index entries: stored parts of reductions, for example.
package protocol DerivedEntries: Sendable {
    /// Everything that decides the entries, except the rows. Those of another identity are removed. The record has it.
    var identity: String { get }

    /// Called in the transaction that has changed rows of the index, after that.
    ///
    /// - Parameter changes: records positions.
    func update(_ index: String, after changes: RowChanges, in session: WriteSession) throws(StorageError)

    /// Compares the entries with the rows, whose order was checked before.
    ///
    /// - Parameter report: receives the problems, without document content.
    func check(
        _ index: String,
        of database: Database,
        in transaction: any ReadTransaction,
        _ report: (String) -> Void
    ) throws(StorageError)
}
