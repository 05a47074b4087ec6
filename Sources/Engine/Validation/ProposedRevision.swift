public import SetteeDocumentValues
public import StorageProtocol

/// A revision that a validation function judges: it is not stored yet.
public struct ProposedRevision: Sendable {
    /// The document of the revision.
    public let documentID: DocumentID
    /// The ID that it will have.
    public let id: RevisionID
    /// The parent revision, which need not be known if this one comes from elsewhere; nil for the first of a line.
    public let parentID: RevisionID?
    /// Whether it is a tombstone: it deletes the document, or this branch of it.
    public let isDeleted: Bool
    /// Whether it was made elsewhere and came with its own ID.
    public let isForeign: Bool
    /// Where it comes from, if its source is known.
    public let source: String?
    /// The body with `_id`, `_rev` and, for a tombstone, `_deleted`.
    public let properties: JSONObject

    /// The IDs of its ancestors as far as they are known, newest first; before them its own if it was made elsewhere.
    package let history: [RevisionID]

    init(_ incoming: IncomingRevision, history: [RevisionID]) throws(StorageError) {
        self.history = history
        documentID = incoming.documentID
        id = incoming.revisionID
        parentID = incoming.parentID
        isDeleted = incoming.isDeleted
        switch incoming.origin {
        case .local:
            isForeign = false
            source = nil
        case .foreign(let named):
            isForeign = true
            source = named
        }
        guard case .object(var object) = try JSONValue(parsing: incoming.json) else {
            throw StorageError(.badJSON, "A document must be a JSON object.")
        }
        object["_id"] = .string(documentID.string)
        object["_rev"] = .string(id.string)
        if isDeleted { object["_deleted"] = .bool(true) }
        properties = object
    }

    /// One property; nil if there is none. Complexity: O(log *n*) comparisons.
    public subscript(key: String) -> JSONValue? { properties[key] }
}
