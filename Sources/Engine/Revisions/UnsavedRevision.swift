public import SetteeDocumentValues
public import StorageProtocol

/// A revision that is not saved yet: edit its properties, then save it. Nothing is written before that.
public struct UnsavedRevision: Revision {
    /// The document of the revision.
    public let document: Document
    /// The parent revision; nil for the first one of a document.
    public let parentID: RevisionID?
    /// The body. `_id` and `_rev` may be left out; if present, they must agree with the ID of the document and
    /// `parentID`.
    public var properties: JSONObject
    /// Whether saving it deletes the document, or this branch of it; the tombstone keeps the properties. `_deleted` in
    /// the properties does the same.
    public var isDeleted = false

    /// Contents that `_attachments` names and that no revision has yet.
    var stagedAttachments: [StagedAttachment] = []

    init(of document: Document, parentID: RevisionID?, properties: JSONObject) {
        self.document = document
        self.parentID = parentID
        self.properties = properties
    }

    /// One property of the body; nil if there is none. Setting nil removes it.
    public subscript(key: String) -> JSONValue? {
        get { properties[key] }
        set { properties[key] = newValue }
    }

    /// The parent revision; nil if there is none, or its body is gone.
    public func parent() throws(StorageError) -> SavedRevision? {
        guard let parentID else { return nil }
        return try document.revision(parentID)
    }

    /// Saves the revision. This value does not change; to continue, use `newRevision()` of the result.
    ///
    /// - Parameter allowingConflict: saves it even if the parent is no longer current. It then becomes another branch,
    ///   and the document may be in conflict. If the very same revision exists already, it is returned. Has no effect
    ///   on local documents, which have no branches.
    /// - Throws: `conflict` (409) if another revision follows the parent already (with `allowingConflict`: if the
    ///   parent is not known), or if it has no parent and the document is live by now; `notFound` (404) if the document
    ///   no longer exists, `exists` (412) if another branch has this very revision, and everything that `Document.put`
    ///   throws for its body.
    @discardableResult
    public func save(allowingConflict: Bool = false) throws(StorageError) -> SavedRevision {
        try save(allowingConflict: allowingConflict, in: nil)
    }

    /// Saves it unless another writer was faster.
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

    /// The body to be stored.
    private func body() throws(StorageError) -> DocumentBody {
        var body = try DocumentBody(properties)
        if isDeleted { body.isDeleted = true }
        return body
    }
}

extension UnsavedRevision: JSONMembers {}
