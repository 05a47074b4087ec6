public import SetteeDocumentValues
public import StorageProtocol

extension Document {
    /// Adds a revision that was made elsewhere, under its own ID. Unknown ancestors are added without a body. If the
    /// history joins no known revision, it becomes a branch of its own, and the document may be in conflict. A revision
    /// that is already known, even if only by its ID, is left as it is, so that repeating the call does nothing.
    ///
    /// Validation functions see the revision like any other. Design documents are accepted, too.
    ///
    /// - Parameters:
    ///   - properties: the body. `_id`, `_rev` and `_revisions` may be left out; if present, they must agree with the
    ///     ID of the document and with `history`.
    ///   - history: the ID of the revision and those of its ancestors, newest first, as far as they are known. Each
    ///     generation is one lower than the one before: cut a history at its first gap. Empty: the history in
    ///     `_revisions`, or else `_rev`.
    ///   - isDeleted: whether it is a tombstone; `_deleted` in the body says so, too.
    ///   - source: where the revision comes from, such as a URL. Observers of the database get it.
    /// - Returns: whether the revision was new.
    /// - Throws: `badRequest` (400) for a history without an ID, with a gap, or one that disagrees with the body;
    ///   `tooLarge` (413) for a tree of more than 65,536 revisions; `badID` (494) for a local document; `rejected`
    ///   (403); everything that `put` throws for a body.
    @discardableResult
    public func forceInsert(
        _ properties: JSONObject,
        history: [RevisionID] = [],
        isDeleted: Bool = false,
        source: String? = nil
    ) throws(StorageError) -> Bool {
        let revision = try ForeignRevision(documentID(), properties, history: history, isDeleted: isDeleted)
        return try database.forceInsert(revision, source: source)
    }

    /// Adds a revision that was made elsewhere, from JSON text in UTF-8. Like the form that takes a `JSONObject`.
    @discardableResult
    public func forceInsert(
        json: [UInt8],
        history: [RevisionID] = [],
        isDeleted: Bool = false,
        source: String? = nil
    ) throws(StorageError) -> Bool {
        let revision = try ForeignRevision(documentID(), json: json, history: history, isDeleted: isDeleted)
        return try database.forceInsert(revision, source: source)
    }

    /// Adds a revision that was made elsewhere, from JSON text. Like the form that takes a `JSONObject`.
    @discardableResult
    public func forceInsert(
        json: String,
        history: [RevisionID] = [],
        isDeleted: Bool = false,
        source: String? = nil
    ) throws(StorageError) -> Bool {
        let text = unsafe json.utf8.span.bytes
        let revision = try ForeignRevision(documentID(), text: text, history, isDeleted: isDeleted)
        return try database.forceInsert(revision, source: source)
    }
}
