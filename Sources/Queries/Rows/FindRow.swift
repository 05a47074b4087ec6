public import SetteeDocumentValues
public import SetteeEngine
public import StorageProtocol

/// A document that a query found, as it was when it was read.
public struct FindRow: Sendable, Equatable {
    /// The current revision of the document.
    public let revision: SavedRevision
    /// What of the document the row has; nil: all of it.
    private let projection: FieldProjection?

    init(_ revision: SavedRevision, _ projection: FieldProjection?) {
        self.revision = revision
        self.projection = projection
    }

    /// The ID of the document.
    public var documentID: DocumentID { revision.documentID }

    /// The document, to read it as it is now or to change it.
    public var document: Document { revision.document }

    /// Whether the row has the whole document, not only some fields.
    package var isWhole: Bool { projection == nil }

    /// The document with `_id` and `_rev`, or those of its members that the query names in `fields`. Parsed at each
    /// access. Complexity: O(bytes).
    ///
    /// - Throws: `corrupt` (591) if the stored text is damaged.
    public var properties: JSONObject {
        get throws(StorageError) {
            let all = try revision.annotatedProperties
            guard let projection else { return all }
            return projection.apply(to: all)
        }
    }

    /// A member of `properties`; nil if there is none, or the document is damaged. Complexity: O(bytes) at each access.
    public subscript(name: String) -> JSONValue? {
        guard let properties = try? properties else { return nil }
        return properties[name]
    }

    /// Equal rows show the same revision of the same document.
    public static func == (a: FindRow, b: FindRow) -> Bool {
        a.revision == b.revision && a.projection == b.projection
    }
}
