public import SetteeDocumentValues
public import StorageProtocol

/// A stored revision of a document, as it was when it was read: an immutable value.
///
/// The body is canonical JSON without `_id` and `_rev`; `properties` parses it.
public struct SavedRevision: Revision {
    /// The database from which it was read.
    public let database: Database
    /// The ID of the document.
    public let documentID: DocumentID
    /// The ID of the revision.
    public let id: RevisionID
    /// The sequence at which this revision was stored; in a row of a listing, the highest one of its document; 0 for a
    /// local document.
    public let sequence: UInt64
    /// Whether this is a tombstone.
    public let isDeleted: Bool
    /// The body as canonical JSON in UTF-8.
    public let json: [UInt8]

    package init(
        in database: Database,
        documentID: DocumentID,
        id: RevisionID,
        sequence: UInt64,
        isDeleted: Bool,
        json: [UInt8]
    ) {
        self.database = database
        self.documentID = documentID
        self.id = id
        self.sequence = sequence
        self.isDeleted = isDeleted
        self.json = json
    }

    /// The document of the revision.
    public var document: Document { database[documentID] }

    /// The body, parsed at each access. Complexity: O(bytes).
    ///
    /// - Throws: `corrupt` (591) if the stored text is damaged.
    public var properties: JSONObject {
        get throws(StorageError) {
            let value: JSONValue
            do {
                value = try JSONValue(parsing: json)
            } catch {
                throw .corrupt("The body of document '\(documentID)' is damaged", cause: error)
            }
            guard let object = value.objectValue else {
                throw .corrupt("The body of document '\(documentID)' is not a JSON object")
            }
            return object
        }
    }

    /// One property of the body; nil if there is none or the body is damaged. Complexity: O(bytes) at each access.
    public subscript(key: String) -> JSONValue? {
        guard let properties = try? properties else { return nil }
        return properties[key]
    }
}

/// Two revisions are equal if they belong to the same document of the same open database and have the same ID. The IDs
/// of revisions of local documents do not depend on the content, so for those the bodies must be equal, too.
extension SavedRevision: Hashable {
    public static func == (a: SavedRevision, b: SavedRevision) -> Bool {
        a.database === b.database && a.documentID == b.documentID && a.id == b.id
            && (!a.documentID.isLocal || a.isDeleted == b.isDeleted && a.json == b.json)
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(database))
        hasher.combine(documentID)
        hasher.combine(id)
    }
}
