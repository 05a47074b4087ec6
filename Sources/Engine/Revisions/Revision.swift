public import SetteeDocumentValues
internal import StorageProtocol

/// The common properties of saved and unsaved revisions.
public protocol Revision: Sendable {
    /// The document of the revision.
    var document: Document { get }
    /// Whether it is a tombstone: it deletes the document, or this branch of it.
    var isDeleted: Bool { get }
    /// The body, without `_id` and `_rev`.
    var properties: JSONObject { get throws(StorageError) }
    /// One property of the body; nil if there is none.
    subscript(key: String) -> JSONValue? { get }
}
