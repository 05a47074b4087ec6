internal import Foundation
internal import SetteeDocumentValues
internal import SetteeEngine
internal import StorageProtocol

/// Parses the lines of an export, and refuses everything that an export would not contain. Its errors have no line
/// number yet.
struct ExportLineParser: ~Copyable {
    /// A line that is neither a body nor a chunk.
    enum Line {
        case identity(info: [String: [UInt8]], lastSequence: UInt64)
        case info(key: String, value: [UInt8])
        case local(DocumentID, RevisionID)
        case document(ExportedDocument)
        case places(flags: [UInt64], sequences: [UInt64])
        case blob(digest: [UInt8], length: UInt64)
        case end(ExportSummary, store: String)
    }

    /// A body line.
    struct Body {
        /// The SHA-1 digests of its attachments, 20 bytes each.
        var attachments: [[UInt8]]
        /// What the same attachments state about their lengths.
        var lengths: [AttachmentLengths]
        var hasAttachments: Bool
    }

    private var parser = JSONParser(limit: NeutralFormat.lineLimit)

    /// Above what a database accepts from other sources, so that its own revisions on top of those are restored too,
    /// but far enough below the maximum that revisions can still be added to what is restored.
    private static let maximumGeneration = RevisionID.maximumGeneration - 1 << 32

    struct Fault: Error {
        var text: String
        var cause: StorageError?
    }

    // MARK: - Bodies

    /// Checks a body, the JSON within a body line.
    mutating func body(_ json: RawSpan) throws(Fault) -> Body {
        guard json.byteCount <= DocumentBody.maximumLength else {
            throw Fault(text: "the body is longer than \(DocumentBody.maximumLength) bytes")
        }
        let root = try parse(json)
        guard parser.kind(of: root) == .object else { throw Fault(text: "the body is not an object") }
        var result = Body(attachments: [], lengths: [], hasAttachments: false)
        guard parser.hasReservedMembers else { return result }
        var entries: JSONNode?
        try parser.forEachReservedMember { (name, node) throws(Fault) in
            guard name.utf8.elementsEqual("_attachments".utf8) else {
                throw Fault(text: "the body has a member that is not stored")
            }
            entries = node
        }
        guard let entries else { return result }
        guard parser.kind(of: entries) == .object else { throw Fault(text: "the body's attachments are no object") }
        try parser.forEachMember(of: entries) { (name, entry) throws(Fault) in
            guard let node = parser.member("digest", of: entry), let text = parser.string(of: node),
                text.utf8.starts(with: "sha1-".utf8),
                let digest = NeutralText.bytes(base64: Array(text.utf8.dropFirst(5))), digest.count == 20
            else { throw Fault(text: "an attachment has no digest") }
            let stub: AttachmentStub
            do throws(StorageError) {
                stub = try AttachmentStub(name, stored: parser.value(of: entry))
            } catch {
                throw Fault(text: "an attachment is malformed", cause: error)
            }
            result.attachments.append(digest)
            result.lengths.append(AttachmentLengths(stub))
        }
        result.hasAttachments = !result.attachments.isEmpty
        return result
    }

    /// Returns the bytes of a chunk line.
    static func chunk(_ line: RawSpan) throws(Fault) -> [UInt8] {
        let start = NeutralFormat.chunkStart.count
        let end = line.byteCount - NeutralFormat.chunkEnd.count
        guard start <= end, Array(line.extracting(end..<line.byteCount)) == NeutralFormat.chunkEnd,
            let bytes = NeutralText.bytes(base64: Array(line.extracting(start..<end)))
        else { throw Fault(text: "the chunk is not base 64") }
        return bytes
    }

    /// Parses the single value of a canonical text.
    private mutating func parse(_ text: RawSpan) throws(Fault) -> JSONNode {
        do throws(StorageError) {
            try parser.parse(text)
        } catch {
            throw Fault(text: "it is not JSON", cause: error)
        }
        guard let root = parser.root, parser.sourceRange(of: root) == 0..<text.byteCount,
            parser.isCanonical(root) || isRewritten(text, root)
        else {
            throw Fault(text: "it is not canonical JSON")
        }
        return root
    }

    /// Whether writing the value again yields the same text. Needed because the parser cannot recognize all canonical
    /// numbers directly.
    private func isRewritten(_ text: RawSpan, _ root: JSONNode) -> Bool {
        var canonical: [UInt8] = []
        canonical.reserveCapacity(text.byteCount)
        parser.writeCanonical(root, into: &canonical)
        return unsafe compareBytes(canonical.span.bytes, text) == 0
    }

    // MARK: - Other lines

    mutating func line(_ text: RawSpan) throws(Fault) -> Line {
        let root = try parse(text)
        guard parser.kind(of: root) == .object, parser.count(of: root) == 1 else {
            throw Fault(text: "its kind is unknown")
        }
        var found: Line?
        try parser.forEachMember(of: root) { (kind, value) throws(Fault) in
            switch kind {
            case "info": found = try info(value)
            case "local": found = try local(value)
            case "document": found = .document(try document(value))
            case "store": found = try store(value)
            case "blob": found = try blob(value)
            case "end": found = try end(value)
            default: break
            }
        }
        guard let found else { throw Fault(text: "its kind is unknown") }
        return found
    }

    private func info(_ node: JSONNode) throws(Fault) -> Line {
        try expect(2, of: node)
        return .info(key: try string("key", node), value: try base64("value", node))
    }

    private func local(_ node: JSONNode) throws(Fault) -> Line {
        try expect(2, of: node)
        let id = try documentID(node)
        guard id.isLocal else { throw Fault(text: "the ID is not that of a local document") }
        return .local(id, try revisionID(node))
    }

    private func blob(_ node: JSONNode) throws(Fault) -> Line {
        try expect(2, of: node)
        guard let digest = NeutralText.bytes(hexadecimal: try string("sha1", node)), digest.count == 20 else {
            throw Fault(text: "'sha1' is no SHA-1")
        }
        return .blob(digest: digest, length: try number("length", node))
    }

    private func end(_ node: JSONNode) throws(Fault) -> Line {
        try expect(7, of: node)
        var summary = ExportSummary()
        summary.blobs = Int(try number("blobs", node))
        summary.documents = Int(try number("documents", node))
        summary.infoValues = Int(try number("info", node))
        summary.localDocuments = Int(try number("locals", node))
        summary.revisions = Int(try number("revisions", node))
        summary.digest = try string("digest", node)
        return .end(summary, store: try string("store", node))
    }

    private func store(_ node: JSONNode) throws(Fault) -> Line {
        guard parser.member("info", of: node) == nil else { return try identity(node) }
        try expect(2, of: node)
        return .places(flags: try numbers("flags", node), sequences: try numbers("sequences", node))
    }

    private func identity(_ node: JSONNode) throws(Fault) -> Line {
        let info = try member("info", node)
        guard parser.kind(of: info) == .object else { throw Fault(text: "'info' is no object") }
        var values: [String: [UInt8]] = [:]
        try parser.forEachMember(of: info) { (key, value) throws(Fault) in
            guard NeutralFormat.isIdentity(key), let bytes = base64(value) else {
                throw Fault(text: "'info' is malformed")
            }
            values[key] = bytes
        }
        if parser.member("uuid", of: node) == nil {
            try expect(2, of: node)
        } else {
            try expect(3, of: node)
            _ = try string("uuid", node)
        }
        return .identity(info: values, lastSequence: try number("lastSequence", node))
    }

    private func document(_ node: JSONNode) throws(Fault) -> ExportedDocument {
        var expiration: Int64?
        if let time = parser.member("expires", of: node) {
            guard let value = parser.int(of: time), parser.kind(of: time) != .double else {
                throw Fault(text: "'expires' is no time")
            }
            expiration = value
        }
        try expect(expiration == nil ? 2 : 3, of: node)
        let id = try documentID(node)
        guard !id.isLocal else { throw Fault(text: "the ID is that of a local document") }
        let list = try member("revisions", node)
        let count = parser.count(of: list)
        guard parser.kind(of: list) == .array, 1...RevisionTree.maximumCount ~= count else {
            throw Fault(text: "'revisions' is no list of 1 to \(RevisionTree.maximumCount)")
        }
        var document = ExportedDocument(id: id, expiration: expiration, revisions: [])
        document.revisions.reserveCapacity(count)
        try parser.forEachElement(of: list) { (entry) throws(Fault) in
            document.revisions.append(try revision(entry))
        }
        return document
    }

    private func revision(_ node: JSONNode) throws(Fault) -> ExportedDocument.Revision {
        var revision = ExportedDocument.Revision(id: try revisionID(node))
        var known = 1
        if let parent = parser.member("parent", of: node) {
            known += 1
            guard let index = parser.int(of: parent), parser.kind(of: parent) != .double, index >= 0 else {
                throw Fault(text: "'parent' is no place")
            }
            revision.parent = Int(index)
        }
        for (name, path) in [("body", \ExportedDocument.Revision.hasBody), ("deleted", \.isDeleted)] {
            guard let flag = parser.member(name, of: node) else { continue }
            known += 1
            guard parser.kind(of: flag) == .true else { throw Fault(text: "'\(name)' is not true") }
            revision[keyPath: path] = true
        }
        try expect(known, of: node)
        return revision
    }

    // MARK: - Members

    private func expect(_ count: Int, of node: JSONNode) throws(Fault) {
        guard parser.kind(of: node) == .object, parser.count(of: node) == count else {
            throw Fault(text: "it has other members than its kind")
        }
    }

    private func member(_ name: String, _ node: JSONNode) throws(Fault) -> JSONNode {
        guard let member = parser.member(name, of: node) else { throw Fault(text: "'\(name)' is missing") }
        return member
    }

    private func string(_ name: String, _ node: JSONNode) throws(Fault) -> String {
        guard let text = parser.string(of: try member(name, node)) else { throw Fault(text: "'\(name)' is no string") }
        return text
    }

    private func base64(_ name: String, _ node: JSONNode) throws(Fault) -> [UInt8] {
        guard let bytes = base64(try member(name, node)) else { throw Fault(text: "'\(name)' is not base 64") }
        return bytes
    }

    private func base64(_ node: JSONNode) -> [UInt8]? {
        parser.string(of: node).flatMap { NeutralText.bytes(base64: Array($0.utf8)) }
    }

    /// Returns a whole number from 0 to 2^63 - 1.
    private func number(_ name: String, _ node: JSONNode) throws(Fault) -> UInt64 {
        guard let value = number(try member(name, node)) else { throw Fault(text: "'\(name)' is no number") }
        return value
    }

    private func number(_ node: JSONNode) -> UInt64? {
        guard parser.kind(of: node) != .double, let value = parser.int(of: node), value >= 0 else { return nil }
        return UInt64(value)
    }

    private func numbers(_ name: String, _ node: JSONNode) throws(Fault) -> [UInt64] {
        let list = try member(name, node)
        guard parser.kind(of: list) == .array else { throw Fault(text: "'\(name)' is no list") }
        var values: [UInt64] = []
        values.reserveCapacity(parser.count(of: list))
        try parser.forEachElement(of: list) { (element) throws(Fault) in
            guard let value = number(element) else { throw Fault(text: "'\(name)' has something else than numbers") }
            values.append(value)
        }
        return values
    }

    private func documentID(_ node: JSONNode) throws(Fault) -> DocumentID {
        let text = try string("id", node)
        do throws(StorageError) {
            return try DocumentID(text)
        } catch {
            throw Fault(text: "the document ID is not allowed", cause: error)
        }
    }

    private func revisionID(_ node: JSONNode) throws(Fault) -> RevisionID {
        let text = try string("rev", node)
        let id: RevisionID
        do throws(StorageError) {
            id = try RevisionID(text)
        } catch {
            throw Fault(text: "the revision ID is malformed", cause: error)
        }
        guard id.generation <= ExportLineParser.maximumGeneration else {
            throw Fault(text: "the revision's generation is so high that nothing could follow it")
        }
        return id
    }
}

extension Array where Element == UInt8 {
    fileprivate init(_ span: RawSpan) { self = unsafe span.withUnsafeBytes { unsafe Array($0) } }
}
