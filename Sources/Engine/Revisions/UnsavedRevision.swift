public import SetteeDocumentValues
public import StorageProtocol

/// A revision being made: edit its properties, then save it. Nothing is written before.
public struct UnsavedRevision: Revision {
    /// The document it will belong to.
    public let document: Document
    /// The revision it will follow; nil for the first one of a document.
    public let parentID: RevisionID?
    /// The body. `_id` and `_rev` may be left out; where they are there they must agree with the document's ID and
    /// `parentID`.
    public var properties: JSONObject
    /// Whether saving it deletes the document, or this branch of it; the properties are kept in the tombstone.
    /// `_deleted` in the properties does the same.
    public var isDeleted = false

    /// Contents that `_attachments` names and that are in no revision yet.
    var stagedAttachments: [StagedAttachment] = []

    init(of document: Document, parentID: RevisionID?, properties: JSONObject) {
        self.document = document
        self.parentID = parentID
        self.properties = properties
    }

    /// One property of the body, nil where there is none. Setting nil removes it.
    public subscript(key: String) -> JSONValue? {
        get { properties[key] }
        set { properties[key] = newValue }
    }

    /// The revision it will follow; nil where there is none, or its body is gone.
    public func parent() throws(StorageError) -> SavedRevision? {
        guard let parentID else { return nil }
        return try document.revision(parentID)
    }

    /// Saves it. The value itself stays as it is; to go on, take `newRevision()` of the result.
    ///
    /// - Parameter allowingConflict: save it even where the parent is not current any more. Then it becomes another
    ///   branch, and the document may be in conflict. Where the very same revision is there already, it is the answer.
    ///   For local documents, which have no branches, it changes nothing.
    /// - Throws: `conflict` (409) where another revision follows the parent already (with `allowingConflict`: where the
    ///   parent is not known), or where it has no parent and the document is live by now; `notFound` (404) where the
    ///   document is gone, `exists` (412) where another branch holds this very revision, and all that `Document.put`
    ///   throws for its body.
    @discardableResult
    public func save(allowingConflict: Bool = false) throws(StorageError) -> SavedRevision {
        try save(allowingConflict: allowingConflict, in: nil)
    }

    /// Saves it where nobody was quicker.
    func save(in race: SaveRace) throws(StorageError) -> SavedRevision {
        try save(allowingConflict: false, in: race)
    }

    private func save(allowingConflict: Bool, in race: SaveRace?) throws(StorageError) -> SavedRevision {
        try document.database.put(
            document.documentID(),
            body(),
            parent: parentID,
            isNew: parentID == nil,
            allowConflict: allowingConflict,
            race: race
        )
    }

    /// What is to be stored.
    private func body() throws(StorageError) -> DocumentBody {
        var body = try DocumentBody(properties)
        if isDeleted { body.isDeleted = true }
        return body
    }
}

extension UnsavedRevision: JSONMembers {}
