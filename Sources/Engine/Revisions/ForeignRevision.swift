public import SetteeDocumentValues
public import StorageProtocol

/// A revision that was made elsewhere, checked and parsed, for `Database.forceInsert`.
public struct ForeignRevision: Sendable {
    public let documentID: DocumentID
    /// The ID of the revision and those of its ancestors, newest first.
    public let history: [RevisionID]
    package private(set) var body: DocumentBody

    /// Takes the body as a JSON object.
    ///
    /// - Parameters:
    ///   - properties: the body. `_id`, `_rev` and `_revisions` may be left out; if present, they must agree with the
    ///     ID of the document and with `history`. `_rev` does not count beside `_revisions`.
    ///   - history: the ID of the revision and those of its ancestors, newest first, as far as they are known. Each
    ///     generation is one lower than the one before: cut a history at its first gap. Empty: the history in
    ///     `_revisions`, or else `_rev`.
    ///   - isDeleted: whether it is a tombstone; `_deleted` in the body says so, too.
    /// - Throws: `badRequest` (400) for a history without an ID, with a gap, or one that disagrees with the body;
    ///   `badID` (494), everything that `Document.put` throws for a body.
    public init(
        _ id: some DocumentIDConvertible,
        _ properties: JSONObject,
        history: [RevisionID] = [],
        isDeleted: Bool = false
    ) throws(StorageError) {
        try self.init(DocumentID(id.documentIDText), DocumentBody(properties), history, isDeleted: isDeleted)
    }

    /// Takes the body as JSON text in UTF-8. Like the form that takes a `JSONObject`. This can be done on any thread,
    /// for many revisions at a time.
    public init(
        _ id: some DocumentIDConvertible,
        json: [UInt8],
        history: [RevisionID] = [],
        isDeleted: Bool = false
    ) throws(StorageError) {
        try self.init(DocumentID(id.documentIDText), text: unsafe json.span.bytes, history, isDeleted: isDeleted)
    }

    package init(
        _ id: DocumentID,
        text: RawSpan,
        _ history: [RevisionID],
        isDeleted: Bool
    ) throws(StorageError) {
        try self.init(id, ThreadContext.current.parseBody(text), history, isDeleted: isDeleted)
    }

    /// The same revision, whose attachments may name these contents and those of its document, and no others.
    package func bringing(_ contents: [StagedAttachment]) -> ForeignRevision {
        guard body.attachments != nil else { return self }
        var revision = self
        revision.body.contentScope = .document(staged: contents)
        return revision
    }

    /// Takes a parsed body, with the history in its `_revisions`, or else its `_rev`.
    package init(_ id: DocumentID, _ body: DocumentBody) throws(StorageError) {
        try self.init(id, body, [], isDeleted: false)
    }

    private init(
        _ id: DocumentID,
        _ body: DocumentBody,
        _ history: [RevisionID],
        isDeleted: Bool
    ) throws(StorageError) {
        documentID = id
        self.history = try body.history(given: history, of: id)
        _ = try RevisionTree.newest(of: self.history)
        var body = body
        if isDeleted { body.isDeleted = true }
        self.body = body
    }
}

/// What became of one of many revisions from elsewhere.
public enum ForceInsertOutcome: Sendable {
    /// It was new, and is stored.
    case added
    /// It was known already, even if only by its ID.
    case known
    /// It is not stored: `rejected` (403) by a validation function, `badRequest` (400), `tooLarge` (413), `badID`
    /// (494), or an attachment that is missing or does not match.
    case refused(StorageError)
}
