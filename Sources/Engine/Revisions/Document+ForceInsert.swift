public import SetteeDocumentValues
public import StorageProtocol

extension Document {
    /// Adds a revision that was made elsewhere, with its own ID, which is taken verbatim. Ancestors that are not known
    /// yet are added without a body. Where the history joins no known revision it becomes a branch of its own: the
    /// document may be in conflict. A revision that is known already, though only by its ID, is left as it is, so that
    /// repeating the call does nothing.
    ///
    /// Validation functions see the revision as any other. Design documents are taken too.
    ///
    /// - Parameters:
    ///   - properties: the body. `_id`, `_rev` and `_revisions` may be left out; where they are there they must agree
    ///     with the document's ID and `history`.
    ///   - history: the revision's own ID and those of its ancestors, newest first, as far as they are known. The
    ///     generations descend by one at each step: cut a history at its first gap. Empty: what `_revisions` say, else
    ///     `_rev`.
    ///   - isDeleted: whether it is a tombstone; `_deleted` in the body says so too.
    ///   - source: where it comes from, such as a URL, for those who observe the database.
    /// - Returns: whether the revision was new.
    /// - Throws: `badRequest` (400) for a history without an ID, with a gap, or one that disagrees with the body;
    ///   `tooLarge` (413) for a tree of more than 65,536 revisions; `badID` (494) for a local document; `rejected`
    ///   (403); all that `put` throws for a body.
    @discardableResult
    public func forceInsert(
        _ properties: JSONObject,
        history: [RevisionID] = [],
        isDeleted: Bool = false,
        source: String? = nil
    ) throws(StorageError) -> Bool {
        try forceInsert(DocumentBody(properties), history, isDeleted: isDeleted, source: source)
    }

    /// Adds a revision that was made elsewhere, from JSON text in UTF-8. As the form that takes a `JSONObject`.
    @discardableResult
    public func forceInsert(
        json: [UInt8],
        history: [RevisionID] = [],
        isDeleted: Bool = false,
        source: String? = nil
    ) throws(StorageError) -> Bool {
        let body = try ThreadContext.current.parseBody(unsafe json.span.bytes)
        return try forceInsert(body, history, isDeleted: isDeleted, source: source)
    }

    /// Adds a revision that was made elsewhere, from JSON text. As the form that takes a `JSONObject`.
    @discardableResult
    public func forceInsert(
        json: String,
        history: [RevisionID] = [],
        isDeleted: Bool = false,
        source: String? = nil
    ) throws(StorageError) -> Bool {
        let body = try ThreadContext.current.parseBody(unsafe json.utf8.span.bytes)
        return try forceInsert(body, history, isDeleted: isDeleted, source: source)
    }

    private func forceInsert(
        _ body: DocumentBody,
        _ history: [RevisionID],
        isDeleted: Bool,
        source: String?
    ) throws(StorageError) -> Bool {
        let id = try documentID()
        let history = try body.history(given: history, of: id)
        var body = body
        if isDeleted { body.isDeleted = true }
        return try database.forceInsert(id, history: history, body, source: source)
    }
}
