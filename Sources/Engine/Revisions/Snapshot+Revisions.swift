public import SetteeDocumentValues
public import StorageProtocol

extension Snapshot {
    /// Returns one revision of a document by its ID, like `Document.revision(_:)`.
    ///
    /// - Throws: `badID` (494) if the ID of the document is not allowed.
    public func revision(
        _ revision: RevisionID,
        of id: some DocumentIDConvertible
    ) throws(StorageError) -> SavedRevision? {
        let id = try DocumentID(id.documentIDText)
        let began = database.trace?.now
        let found = try database.revision(revision, of: id, in: live())
        if let trace = database.trace, let began { trace.got(id, revision, size: found?.json.count, began: began) }
        return found
    }

    /// Returns all leaves, including tombstones, like `Document.leafRevisions()`.
    ///
    /// - Throws: `badID` (494) if the ID of the document is not allowed.
    public func leafRevisions(of id: some DocumentIDConvertible) throws(StorageError) -> [SavedRevision] {
        try leaves(of: DocumentID(id.documentIDText), onlyLive: false)
    }

    /// Returns the live leaves, like `Document.conflictingRevisions()`.
    ///
    /// - Throws: `badID` (494) if the ID of the document is not allowed.
    public func conflictingRevisions(of id: some DocumentIDConvertible) throws(StorageError) -> [SavedRevision] {
        try leaves(of: DocumentID(id.documentIDText), onlyLive: true)
    }

    private func leaves(of id: DocumentID, onlyLive: Bool) throws(StorageError) -> [SavedRevision] {
        let began = database.trace?.now
        let found = try database.leaves(of: id, onlyLive: onlyLive, in: live())
        if let trace = database.trace, let began { trace.gotLeaves(id, found, began: began) }
        return found
    }

    /// Returns the current revision and its ancestors, like `Document.history()`.
    ///
    /// - Throws: `badID` (494) if the ID of the document is not allowed.
    public func history(of id: some DocumentIDConvertible) throws(StorageError) -> [RevisionInfo] {
        try database.history(of: nil, of: DocumentID(id.documentIDText), in: live())
    }

    /// Returns the body of a live document with special properties, like `Document.properties(including:)`.
    ///
    /// - Throws: `badID` (494) if the ID of the document is not allowed.
    public func properties(
        of id: some DocumentIDConvertible,
        including special: SpecialProperties
    ) throws(StorageError) -> JSONObject? {
        try database.properties(of: DocumentID(id.documentIDText), including: special, in: live())
    }
}
