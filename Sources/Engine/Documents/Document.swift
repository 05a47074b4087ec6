public import SetteeDocumentValues
public import StorageProtocol

/// A handle for the document with an ID, whether the document exists or not. It holds no state: every call asks the
/// database.
///
/// Every call throws `badID` (494) if the ID is not allowed, `notOpen` (503) after the database was closed, and
/// `callback` (593) inside an `update` closure. Every call that writes throws `readOnly` (403), `inUse` (423) if
/// another process writes for longer than `busyTimeout`, `full` (507), and `callback` inside `read`. Reads and writes
/// cost O(log n) and the bytes of the document.
public struct Document: Sendable {
    /// The database of the document.
    public let database: Database
    /// The ID as it was given.
    public let id: DocumentID

    init(_ id: DocumentID, in database: Database) {
        self.id = id
        self.database = database
    }

    /// Returns the ID after checking it.
    package func documentID() throws(StorageError) -> DocumentID { try id.checked() }

    /// Whether the document exists and is not deleted.
    public var exists: Bool {
        get throws(StorageError) {
            guard let revision = try revision() else { return false }
            return !revision.isDeleted
        }
    }

    /// Returns the current revision: a tombstone if the document is deleted; nil if it never existed or was purged.
    public func revision() throws(StorageError) -> SavedRevision? {
        try database.revision(of: documentID())
    }

    /// Returns the current revision of a live document.
    ///
    /// - Throws: `notFound` (404) if there is no such document, `deleted` (496) if it is deleted.
    public func read() throws(StorageError) -> SavedRevision {
        guard let revision = try revision() else {
            throw .noDocument
        }
        guard !revision.isDeleted else { throw .documentIsDeleted }
        return revision
    }

    /// Returns the body of a live document as canonical JSON in UTF-8, without parsing it; nil if it is missing or
    /// deleted.
    public func json() throws(StorageError) -> [UInt8]? {
        let id = try documentID()
        if id.isLocal { return try revision()?.json }
        let began = database.trace?.now
        let found = try database.withReadTransaction { (transaction) throws(StorageError) in
            var json: [UInt8]?
            _ = try transaction.record(id, fields: .body) { (record) throws(StorageError) in
                if !record.flags.contains(.deleted) { json = record.bodyCopy() }
            }
            return json
        }
        if let trace = database.trace, let began { trace.got(id, size: found?.count, began: began) }
        return found
    }

    /// The body of a live document; nil if it is missing or deleted.
    public var properties: JSONObject? {
        get throws(StorageError) {
            guard let revision = try revision(), !revision.isDeleted else { return nil }
            return try revision.properties
        }
    }

    /// One property of a live document; nil if there is none, or the document is missing or deleted. Parses the whole
    /// body.
    public subscript(key: String) -> JSONValue? {
        get throws(StorageError) { try properties?[key] }
    }

    /// Saves a new revision.
    ///
    /// The parent is `parent`, or else the body's `_rev`. Without either, the document must be new or deleted. Of the
    /// members that begin with `_`, `_deleted: true` makes a tombstone, and `_id` and `_rev` must agree with the
    /// arguments. None of them is stored.
    ///
    /// - Throws: `conflict` (409) if the parent is not a current revision, or none is given and the document is live;
    ///   `notFound` (404) if a parent is given and there is no document; `badRequest` (400) if `parent` and `_rev`, or
    ///   the ID and `_id`, differ, or `_rev` is malformed; `exists` (412) if another branch has this very revision;
    ///   `tooLarge` (413) over 32 MiB; `badJSON` (493) for numbers that are not finite, nesting beyond 512 levels and
    ///   other members that begin with `_`; `badID` (494) for a design document; `badAttachment` (491) or
    ///   `attachmentNotFound` (492) for its attachments; `rejected` (403) by a validation function.
    @discardableResult
    public func put(_ properties: JSONObject, parent: RevisionID? = nil) throws(StorageError) -> SavedRevision {
        try database.put(documentID(), DocumentBody(properties), parent: parent)
    }

    /// Saves a new revision from JSON text in UTF-8, which must be an object. Like `put(_:parent:)`, but does not build
    /// values.
    ///
    /// - Throws: as `put(_:parent:)`; `badJSON` (493) names the byte at which the text is wrong.
    @discardableResult
    public func put(json: RawSpan, parent: RevisionID? = nil) throws(StorageError) -> SavedRevision {
        try database.put(documentID(), ThreadContext.current.parseBody(json), parent: parent)
    }

    /// Saves a new revision from JSON text, which must be an object. Like the form that takes a `RawSpan`.
    @discardableResult
    public func put(json: String, parent: RevisionID? = nil) throws(StorageError) -> SavedRevision {
        try put(json: unsafe json.utf8.span.bytes, parent: parent)
    }

    /// Saves a new revision from JSON text in UTF-8, which must be an object. Like the form that takes a `RawSpan`.
    @discardableResult
    public func put(json: [UInt8], parent: RevisionID? = nil) throws(StorageError) -> SavedRevision {
        try put(json: unsafe json.span.bytes, parent: parent)
    }

    /// Deletes the document: adds a tombstone on top of `parent`, or of the current revision if none is given. Deleting
    /// a document that is already deleted is no conflict and returns the existing tombstone. A local document is
    /// removed without a tombstone.
    ///
    /// - Throws: `notFound` (404) if there is no such document, `conflict` (409) if `parent` is not current.
    @discardableResult
    public func delete(parent: RevisionID? = nil) throws(StorageError) -> SavedRevision {
        try database.delete(documentID(), parent: parent)
    }

    /// Removes every trace of the document from this database, as if it had never existed. The purge takes a sequence.
    ///
    /// - Returns: false if there was no such document.
    @discardableResult
    public func purge() throws(StorageError) -> Bool {
        try database.purge(documentID())
    }
}

/// Two handles are equal if they have the same open database and the same ID, byte by byte, whatever the document
/// contains.
extension Document: Hashable {
    public static func == (a: Document, b: Document) -> Bool {
        a.database === b.database && a.id == b.id
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(database))
        hasher.combine(id)
    }
}
