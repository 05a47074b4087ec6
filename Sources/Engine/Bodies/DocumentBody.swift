package import SetteeDocumentValues
package import StorageProtocol

/// Which contents a body's attachments may name by digest, without bringing them inline.
package enum ContentScope: Sendable {
    /// Every content of the database, and every one that is staged: the app's own calls.
    case database
    /// Those that kept revisions of the same document have, and these that came with it. Otherwise a client that knows
    /// a digest could read the content of a document that it may not read.
    case document(staged: [StagedAttachment])
}

/// A body to be saved: canonical JSON without reserved members, and the values of these. `_attachments` is added again,
/// as stubs, when the body is saved (`AttachmentAdmission`).
package struct DocumentBody: Sendable {
    package var canonical: [UInt8]
    package var isDeleted = false
    /// An empty deleted revision.
    static let tombstone = DocumentBody(deleted: true)

    private init(deleted: Bool) {
        canonical = Array("{}".utf8)
        isDeleted = deleted
    }

    /// Nil for most bodies. In a box, so that a body without these members stays small.
    private var reserved: Box?

    private struct Reserved: Sendable {
        var id: String?
        var revision: RevisionID?
        var history: [RevisionID] = []
        var attachments: JSONObject?
        var contentScope = ContentScope.database
        var expiration: GivenExpiration?
    }

    private final class Box: Sendable {
        let members: Reserved
        init(_ members: Reserved) { self.members = members }
    }

    /// The value of `_id`.
    package var id: String? {
        get { reserved?.members.id }
        set { changeReserved { $0.id = newValue } }
    }

    /// The value of `_rev`.
    package var revision: RevisionID? {
        get { reserved?.members.revision }
        set { changeReserved { $0.revision = newValue } }
    }

    /// The ID of the revision and those of its ancestors, newest first, from `_revisions`.
    package var history: [RevisionID] {
        get { reserved?.members.history ?? [] }
        set { changeReserved { $0.history = newValue } }
    }

    /// The entries of `_attachments`, as they were given; nil if there are none.
    package var attachments: JSONObject? {
        get { reserved?.members.attachments }
        set { changeReserved { $0.attachments = newValue } }
    }

    /// Which contents the entries of `_attachments` may name by their digests.
    package var contentScope: ContentScope {
        get { reserved?.members.contentScope ?? .database }
        set { changeReserved { $0.contentScope = newValue } }
    }

    /// When the document is to expire, for who reads `_exp` from a body. Nil: as before.
    package var expiration: GivenExpiration? {
        get { reserved?.members.expiration }
        set { changeReserved { $0.expiration = newValue } }
    }

    private mutating func changeReserved(_ change: (inout Reserved) -> Void) {
        var members = reserved?.members ?? Reserved()
        change(&members)
        reserved = Box(members)
    }

    /// - Throws: `badJSON` (493), `tooLarge` (413), `badRequest` (400) for a malformed revision ID.
    package init(parsing text: RawSpan) throws(StorageError) {
        var parser = JSONParser()
        try self.init(parsing: text, with: &parser)
    }

    /// Does the same with a parser that is used repeatedly.
    ///
    /// - Parameter takesExpiry: Whether the body may say in `_exp` when the document is to expire.
    package init(
        parsing text: RawSpan,
        with parser: inout JSONParser,
        takesExpiry: Bool = false
    ) throws(StorageError) {
        try parser.parse(text)
        guard let root = parser.root, parser.kind(of: root) == .object else { throw DocumentBody.notAnObject }
        canonical = []
        canonical.reserveCapacity(text.byteCount)
        if parser.hasReservedMembers, DocumentBody.unusual.contains(where: { parser.member($0, of: root) != nil }) {
            guard var object = parser.value(of: root).objectValue else { throw DocumentBody.notAnObject }
            if takesExpiry, let value = object.remove("_exp") { expiration = try GivenExpiration(json: value) }
            try takeReserved(from: &object)
            canonical = try JSONValue.object(object).canonicalBytes()
        } else {
            if parser.hasReservedMembers {
                for (name, value) in DocumentBody.reserved(parser) {
                    if takesExpiry, name == "_exp" {
                        expiration = try GivenExpiration(json: value)
                    } else {
                        try take(name, value)
                    }
                }
            }
            try parser.writeDocumentBody(into: &canonical)
        }
        try checkLength()
    }

    package init(_ properties: JSONObject) throws(StorageError) {
        canonical = []
        var object = properties
        try takeReserved(from: &object)
        canonical = try JSONValue.object(object).canonicalBytes()
        try checkLength()
    }

    /// The canonical form may be longer than the text (`1e9` grows). A text that could not be read again must not be
    /// stored.
    private func checkLength() throws(StorageError) { try DocumentBody.checkLength(of: canonical) }

    static func checkLength(of canonical: [UInt8]) throws(StorageError) {
        guard canonical.count <= maximumLength else {
            throw StorageError(
                .tooLarge,
                "The document has \(canonical.count) bytes; at most \(maximumLength) are allowed."
            )
        }
    }

    /// The longest document, in bytes.
    package static let maximumLength = 32 << 20

    private static var notAnObject: StorageError {
        StorageError(.badJSON, "A document must be a JSON object.")
    }

    /// The members whose names begin with `_` that a body may have.
    package static let reservedNames = Set<String>([
        "_id", "_rev", "_deleted", "_revisions", "_revs_info", "_conflicts", "_deleted_conflicts", "_local_seq",
        "_removed", "_attachments",
    ]).union(replicationNames)

    /// What CouchDB's replicator writes into documents of `_replicator`. They are data of such documents, in any
    /// database, as in CouchDB.
    private static let replicationNames: Set = [
        "_replication_id", "_replication_state", "_replication_state_reason", "_replication_state_time",
        "_replication_stats",
    ]

    /// Reserved members that stay in the body. Servers send `_removed` instead of a withdrawn document.
    private static let lasting = replicationNames.union(["_removed"])

    /// Reserved members that the parser's writer of bodies does not handle.
    private static let unusual = lasting.union(["_attachments"])

    /// The members whose names begin with `_`.
    private static func reserved(_ parser: borrowing JSONParser) -> [(name: String, value: JSONValue)] {
        var members: [(name: String, value: JSONValue)] = []
        parser.forEachReservedMember { name, node in members.append((name, parser.value(of: node))) }
        return members
    }

    /// Reads and removes the members whose names begin with `_`.
    private mutating func takeReserved(from object: inout JSONObject) throws(StorageError) {
        // In canonical order the names that begin with `_` are adjacent, but members are few, so a plain pass is
        // enough.
        for name in object.keys where name.utf8.first == UInt8(ascii: "_") {
            guard let value = object[name] else { continue }
            try take(name, value)
            if !DocumentBody.lasting.contains(name) { object[name] = nil }
        }
    }

    private mutating func take(_ name: String, _ value: JSONValue) throws(StorageError) {
        switch name {
        case "_id":
            guard let text = value.stringValue else { throw DocumentBody.malformed(name, "a string") }
            id = text
        case "_rev":
            guard let text = value.stringValue else { throw DocumentBody.malformed(name, "a string") }
            revision = try RevisionID(text)
        case "_deleted":
            guard let flag = value.boolValue else { throw DocumentBody.malformed(name, "true or false") }
            isDeleted = flag
        case "_revisions":
            history = try DocumentBody.history(value)
        case "_revs_info", "_conflicts", "_deleted_conflicts", "_local_seq":
            // These answer read requests. They have no meaning in a write, but must have the right form.
            try DocumentBody.check(name, value)
        case "_removed":
            guard value.boolValue != nil else { throw DocumentBody.malformed(name, "true or false") }
        case "_attachments":
            guard let entries = value.objectValue else { throw DocumentBody.malformed(name, "an object") }
            if !entries.isEmpty { attachments = entries }
        case _ where DocumentBody.lasting.contains(name):
            break
        default:
            throw StorageError(
                .badJSON,
                "The document has a top-level member whose name begins with '_' and is none of the reserved ones. "
                    + "Rename it."
            )
        }
    }

    static func malformed(_ name: String, _ needed: String) -> StorageError {
        StorageError(.badJSON, "The document's '\(name)' must be \(needed).")
    }
}
