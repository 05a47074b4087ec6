package import SetteeDocumentValues
package import SetteeEngine
package import StorageProtocol

/// Says which rows an index has: those of a map function, or the fields of a value index.
package protocol RowMapper: Sendable {
    /// Mappers of one version make the same rows.
    var version: IndexVersion { get }
    var order: KeyOrder { get }
    /// Whether it may read the IDs of documents' revisions.
    var readsRevisions: Bool { get }
    /// Whether it gets design documents. Only a `GroupMapper` can.
    var takesDesignDocuments: Bool { get }
    /// What the index holds beside its rows; nil: nothing.
    var derivedEntries: (any DerivedEntries)? { get }

    /// Returns what makes the rows, for one thread.
    func makeRowMaker() -> RowMaker
}

/// What makes the rows of an index, in one of two ways.
package enum RowMaker {
    case groups(any GroupMapper)
    case documents(any DocumentMapper)
}

/// Makes the rows of copied documents, many at a time. It may run code of the program.
package protocol GroupMapper {
    /// Adds the rows of documents, none for one for which it fails.
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
}

/// Makes the rows of one document after another from values at certain paths. One walk over a document finds them for
/// all indexes that are due, also while a store lends its record, so nothing of the program may run in it.
///
/// It keeps its memory from one document to the next.
package protocol DocumentMapper: AnyObject {
    /// Has the paths.
    var trie: PathTrie { get }

    /// Adds the rows of a document, which was begun.
    ///
    /// - Parameters:
    ///   - body: of a live document, not a design document.
    ///   - found: the values at the paths of `trie`.
    ///   - revision: only set if the mapper `readsRevisions`.
    /// - Throws: an error that ends the update.
    func map(
        _ body: RawSpan,
        _ found: FoundPlaces,
        id: RawSpan,
        revision: RawSpan,
        into rows: inout EmittedRows
    ) throws(StorageError)
}

extension RowMapper {
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
