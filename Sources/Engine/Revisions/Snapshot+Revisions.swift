public import SetteeDocumentValues
public import StorageProtocol

extension Snapshot {
    /// One revision of a document by its ID, as `Document.revision(_:)`.
    ///
    /// - Throws: `badID` (494) where the document's ID is not allowed.
    public func revision(
        _ revision: RevisionID,
        of id: some DocumentIDConvertible
    ) throws(StorageError) -> SavedRevision? {
        try database.revision(revision, of: DocumentID(id.documentIDText), in: live())
    }

    /// All leaves, tombstones too, as `Document.leafRevisions()`.
    ///
    /// - Throws: `badID` (494) where the document's ID is not allowed.
    public func leafRevisions(of id: some DocumentIDConvertible) throws(StorageError) -> [SavedRevision] {
        try database.leaves(of: DocumentID(id.documentIDText), onlyLive: false, in: live())
    }

    /// The live leaves, as `Document.conflictingRevisions()`.
    ///
    /// - Throws: `badID` (494) where the document's ID is not allowed.
    public func conflictingRevisions(of id: some DocumentIDConvertible) throws(StorageError) -> [SavedRevision] {
        try database.leaves(of: DocumentID(id.documentIDText), onlyLive: true, in: live())
    }

    /// The current revision and its ancestors, as `Document.history()`.
    ///
    /// - Throws: `badID` (494) where the document's ID is not allowed.
    public func history(of id: some DocumentIDConvertible) throws(StorageError) -> [RevisionInfo] {
        try database.history(of: nil, of: DocumentID(id.documentIDText), in: live())
    }

    /// The body of a live document with special properties, as `Document.properties(including:)`.
    ///
    /// - Throws: `badID` (494) where the document's ID is not allowed.
    public func properties(
        of id: some DocumentIDConvertible,
        including special: SpecialProperties
    ) throws(StorageError) -> JSONObject? {
        try database.properties(of: DocumentID(id.documentIDText), including: special, in: live())
    }
}
