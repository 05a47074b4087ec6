internal import SetteeDocumentValues
internal import SetteeEngine
internal import StorageProtocol

/// Makes revisions of the JSON of documents. Keeps its parsers, so that one is used for many.
struct RevisionReader: ~Copyable {
    /// What a document is allowed beside its body: the history.
    static let limit = JSONLimits.documentLength + (1 << 20)

    private var parser = JSONParser(limit: limit)

    /// A document as it came.
    enum Document {
        case revision(TransferredRevision)
        /// It says only that the user has lost access (`_removed` of Sync Gateway).
        case removed(id: String, revision: String)
    }

    /// Reads a document with `_id`, `_rev` and `_revisions`.
    ///
    /// - Parameter mayFollow: Whether contents may follow it, which are passed over: its entries become stubs.
    /// - Throws: `badDocument` for what is no document with an ID and a revision, for a history of another revision,
    ///   and for members that no body may have: without them it would not be the body that the revision names.
    mutating func read(_ text: RawSpan, mayFollow: Bool = false) throws(PeerError) -> Document {
        do {
            try parser.parse(text)
        } catch {
            throw PeerError(.badDocument, status: error.status, error.message)
        }
        guard let root = parser.root, let id = string("_id", of: root), let revision = string("_rev", of: root) else {
            throw PeerError(.badDocument, "A document came without its ID or revision.")
        }
        if let removed = parser.member("_removed", of: root), parser.value(of: removed).boolValue == true {
            return .removed(id: id, revision: revision)
        }
        try parser.forEachReservedMember { (name, _) throws(PeerError) in
            guard DocumentBody.reservedNames.contains(name) else {
                throw PeerError(.badDocument, "A document has an unknown member that begins with '_'.")
            }
        }
        let isDeleted = parser.member("_deleted", of: root).flatMap { parser.value(of: $0).boolValue } ?? false
        let attachments = parser.member("_attachments", of: root).map { parser.count(of: $0) } ?? 0
        var json: [UInt8] = []
        do {
            try parser.writeDocumentBody(into: &json)
        } catch {
            throw PeerError(.badDocument, status: error.status, error.message)
        }
        if mayFollow, attachments > 0 { json = RevisionReader.withStubs(json) }
        return .revision(
            TransferredRevision(
                documentID: id,
                history: try history(of: root, revision),
                isDeleted: isDeleted,
                json: json,
                hasAttachments: attachments > 0
            )
        )
    }

    private static func withStubs(_ json: [UInt8]) -> [UInt8] {
        guard var members = (try? JSONValue(parsing: json))?.objectValue,
            var entries = members["_attachments"]?.objectValue
        else { return json }
        for (name, value) in entries {
            guard var entry = value.objectValue, entry.remove("follows") != nil else { continue }
            entry["stub"] = true
            entries[name] = .object(entry)
        }
        members["_attachments"] = .object(entries)
        return (try? members.canonicalBytes()) ?? json
    }

    private func string(_ name: String, of node: JSONNode) -> String? {
        parser.member(name, of: node).flatMap { parser.string(of: $0) }
    }

    /// The history of `_revisions`; the revision alone where there is none.
    private func history(of root: JSONNode, _ revision: String) throws(PeerError) -> [String] {
        guard let node = parser.member("_revisions", of: root) else { return [revision] }
        guard let start = parser.member("start", of: node), let first = parser.int(of: start), first > 0,
            let ids = parser.member("ids", of: node)
        else { throw RevisionReader.badHistory }
        var history: [String] = []
        var generation = first
        parser.forEachElement(of: ids) { element in
            guard generation > 0, let digest = parser.string(of: element) else { return }
            history.append("\(generation)-\(digest)")
            generation -= 1
        }
        guard history.first == revision else { throw RevisionReader.badHistory }
        return history
    }

    private static var badHistory: PeerError {
        PeerError(.badDocument, "A document came with the history of another revision.")
    }
}
