internal import SetteeDocumentValues
internal import SetteeEngine
internal import StorageProtocol

/// Which contents of a revision are to be fetched before it can be stored here.
struct AttachmentPlan: Sendable {
    private(set) var wishes: [AttachmentWish] = []
    private let body: JSONObject

    /// Blocks.
    ///
    /// - Parameter trusting: whether a stub may stand for an attachment of an ancestor here: one of the same name and
    ///   `revpos`, or of the same MD5.
    /// - Throws: `PeerError` with `badDocument` for an entry that is not an attachment's.
    init(_ revision: TransferredRevision, in database: Database, trusting: Bool) throws {
        // What cannot be read is refused when it is stored.
        body = (try? JSONValue(parsing: revision.json))?.objectValue ?? JSONObject()
        var ancestors: [AttachmentStub]?
        var near: Set<[UInt8]>?
        for (name, value) in body["_attachments"]?.objectValue ?? JSONObject() {
            guard let entry = value.objectValue, entry["data"] == nil, let text = entry["digest"]?.stringValue,
                let digest = AttachmentDigest(text)
            else { continue }
            if digest.kind == .sha1 {
                if near == nil { near = try database.digests(near: revision) }
                if near?.contains(digest.bytes) == true, database.hasContent(digest.bytes) { continue }
            }
            if digest.kind == .md5, trusting {
                if ancestors == nil { ancestors = try database.attachments(ofAncestors: revision) }
                let revpos = entry["revpos"]?.intValue ?? 0
                let isHere = try ancestors?.contains { stub in
                    // Names are compared by their bytes, as everywhere.
                    if revpos > 0, stub.revpos == UInt64(revpos), stub.name.utf8.elementsEqual(name.utf8) {
                        return true
                    }
                    return try database.md5(ofContents: [stub.digest]).first == digest.bytes
                }
                if isHere == true { continue }
            }
            let plain = entry["length"]?.intValue
            let encoded = entry["encoded_length"]?.intValue
            let length = encoded ?? plain ?? 0
            wishes.append(
                AttachmentWish(
                    documentID: revision.documentID,
                    revision: revision.history.first ?? "",
                    name: name,
                    digest: text,
                    length: UInt64(max(0, length)),
                    encoding: entry["encoding"]?.stringValue,
                    // CouchDB says the encoded length twice where it does not know the other one.
                    decodedLength: plain == encoded ? nil : plain.flatMap { UInt64(exactly: $0) }
                )
            )
        }
    }

    /// The body, with entries that name these contents, one for each wish.
    func json(with contents: [StagedAttachment]) throws -> [UInt8] {
        var body = body
        for (wish, content) in zip(wishes, contents) {
            guard var entry = body["_attachments"]?[wish.name]?.objectValue else { continue }
            entry["stub"] = nil
            entry["follows"] = true
            entry["digest"] = .string(content.digest)
            // A peer may have decoded what it sent.
            if content.md5Digest != wish.digest, content.digest != wish.digest {
                entry["encoding"] = nil
                entry["encoded_length"] = nil
                entry["length"] = JSONValue(content.length)
            }
            body["_attachments"]?[wish.name] = .object(entry)
        }
        return try body.canonicalBytes()
    }
}

extension Database {
    /// Whether a content with this SHA-1 is here.
    fileprivate func hasContent(_ sha1: [UInt8]) -> Bool { (try? attachmentReader(sha1)) != nil }

    /// How many ancestors are looked at for a content that is here: a document may have thousands of revisions.
    private static let nearAncestors = 16

    /// The SHA-1s of the contents that the document has here, in its current revision and the newest ancestors of a new
    /// one. What only other documents have is not among them: a client that can name a digest could get its content.
    fileprivate func digests(near revision: TransferredRevision) throws -> Set<[UInt8]> {
        let ancestors = revision.history.dropFirst().prefix(Database.nearAncestors).compactMap { try? RevisionID($0) }
        let stubs =
            try attachments(of: revision.documentID, .current)
            + attachments(of: revision.documentID, .revisions(ancestors))
        return Set(stubs.map(\.digest))
    }

    /// The attachments of those ancestors of a revision whose bodies are here.
    fileprivate func attachments(ofAncestors revision: TransferredRevision) throws -> [AttachmentStub] {
        let ancestors = revision.history.dropFirst().compactMap { try? RevisionID($0) }
        return try attachments(of: revision.documentID, .revisions(ancestors))
    }

    private func attachments(
        of documentID: String,
        _ selection: RevisionRequest.Selection
    ) throws -> [AttachmentStub] {
        guard let id = try? DocumentID(documentID) else { return [] }
        var stubs: [AttachmentStub] = []
        try revisions([RevisionRequest(documentID: id, selection: selection)]) {
            (_, answer, json) throws(StorageError) in
            guard case .found(let found) = answer, found.hasAttachments else { return }
            let body = try JSONValue(parsing: json).objectValue
            for (name, value) in body?["_attachments"]?.objectValue ?? JSONObject() {
                stubs.append(try AttachmentStub(name, stored: value))
            }
        }
        return stubs
    }
}
