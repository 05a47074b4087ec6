package import StorageProtocol

/// A body on its way into the database: canonical JSON without reserved members, and what those said.
package struct DocumentBody: Sendable {
    package var canonical: [UInt8]
    package var isDeleted = false
    /// Most bodies have none of these members: in a box they cost nothing there.
    private var reserved: Box?

    private struct Reserved: Sendable {
        var id: String?
        var revision: RevisionID?
        var history: [RevisionID] = []
    }

    private final class Box: Sendable {
        let members: Reserved
        init(_ members: Reserved) { self.members = members }
    }

    /// What `_id` says.
    package var id: String? {
        get { reserved?.members.id }
        set { changeReserved { $0.id = newValue } }
    }

    /// What `_rev` says.
    package var revision: RevisionID? {
        get { reserved?.members.revision }
        set { changeReserved { $0.revision = newValue } }
    }

    /// The revision's own ID and its ancestors', newest first, as `_revisions` tells.
    package var history: [RevisionID] {
        get { reserved?.members.history ?? [] }
        set { changeReserved { $0.history = newValue } }
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

    /// The same with a parser that is used again and again.
    package init(parsing text: RawSpan, with parser: inout JSONParser) throws(StorageError) {
        try parser.parse(text)
        guard let root = parser.root, parser.kind(of: root) == .object else { throw DocumentBody.notAnObject }
        canonical = []
        canonical.reserveCapacity(text.byteCount)
        if parser.hasReservedMembers, parser.member("_attachments", of: root) != nil {
            guard var object = parser.value(of: root).objectValue else { throw DocumentBody.notAnObject }
            try takeReserved(from: &object)
            canonical = try JSONValue.object(object).canonicalBytes()
        } else {
            if parser.hasReservedMembers {
                for (name, value) in DocumentBody.reserved(parser) { try take(name, value) }
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

    /// The canonical form may be longer than the text: `1e9` grows, and what could not be read again must not be stored.
    private func checkLength() throws(StorageError) {
        guard canonical.count <= DocumentBody.maximumLength else {
            throw StorageError(
                .tooLarge,
                "The document has \(canonical.count) bytes; at most \(DocumentBody.maximumLength) are allowed."
            )
        }
    }

    /// The longest document, in bytes.
    package static let maximumLength = 32 << 20

    private static var notAnObject: StorageError {
        StorageError(.badJSON, "A document must be a JSON object.")
    }

    /// The members whose names begin with `_`.
    private static func reserved(_ parser: borrowing JSONParser) -> [(name: String, value: JSONValue)] {
        var members: [(name: String, value: JSONValue)] = []
        parser.forEachReservedMember { name, node in members.append((name, parser.value(of: node))) }
        return members
    }

    /// Reads and removes the members whose names begin with `_`.
    private mutating func takeReserved(from object: inout JSONObject) throws(StorageError) {
        // In canonical order the names that begin with `_` stand together, but members are few: a plain pass will do.
        for name in object.keys where name.utf8.first == UInt8(ascii: "_") {
            guard let value = object[name] else { continue }
            try take(name, value)
            object[name] = nil
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
            break  // Answers to read requests, which mean nothing in a write.
        case "_attachments":
            guard let entries = value.objectValue else { throw DocumentBody.malformed(name, "an object") }
            guard entries.isEmpty else {
                throw StorageError(.notImplemented, "This version cannot store attachments. Leave '_attachments' out.")
            }
        default:
            throw StorageError(
                .badJSON,
                "The document has a top-level member whose name begins with '_' and is none of the reserved ones. Rename it."
            )
        }
    }

    private static func malformed(_ name: String, _ needed: String) -> StorageError {
        StorageError(.badJSON, "The document's '\(name)' must be \(needed).")
    }

    /// `{"start": 3, "ids": ["c", "b", "a"]}` is 3-c, 2-b, 1-a.
    private static func history(_ value: JSONValue) throws(StorageError) -> [RevisionID] {
        guard let start = value["start"]?.intValue, let ids = value["ids"]?.arrayValue, start >= ids.count else {
            throw malformed(
                "_revisions",
                "an object with 'start', a number, and 'ids', an array of at most as many strings"
            )
        }
        var history: [RevisionID] = []
        history.reserveCapacity(ids.count)
        for (position, suffix) in ids.enumerated() {
            guard let suffix = suffix.stringValue else {
                throw malformed("_revisions", "an object with 'ids' of strings")
            }
            history.append(try RevisionID("\(start - Int64(position))-\(suffix)"))
        }
        return history
    }
}
