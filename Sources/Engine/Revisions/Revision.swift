public import SetteeDocumentValues
internal import StorageProtocol

/// What saved and unsaved revisions have in common.
public protocol Revision: Sendable {
    /// The document it belongs to.
    var document: Document { get }
    /// Whether it deletes the document, or this branch of it: a tombstone.
    var isDeleted: Bool { get }
    /// The body, without `_id` and `_rev`.
    var properties: JSONObject { get throws(StorageError) }
    /// One property of the body, nil where there is none.
    subscript(key: String) -> JSONValue? { get }
}
