internal import SetteeDocumentValues
internal import StorageProtocol

/// Turns the attachments of a new revision into stubs, each with a blob.
///
/// Nothing is published or counted here, so a refusal leaves the transaction as it was.
struct AttachmentAdmission {
    let session: WriteSession

    init(_ session: WriteSession) { self.session = session }

    /// Returns the body to store, and the blobs that its attachments refer to.
    ///
    /// - Parameters:
    ///   - generation: The generation of the new revision.
    ///   - tree: The document's tree before it, nil for a new document.
    ///   - parent: The parent of the new revision.
    /// - Throws: `badAttachment` (491) if an entry is malformed, contradicts its content, or has the SHA-1 of a
    ///   different content; `attachmentNotFound` (492) for a stub without a blob; `tooLarge` (413).
    func admit(
        _ body: DocumentBody,
        generation: UInt64,
        of id: DocumentID,
        tree: RevisionTree?,
        parent: RevisionID?,
        origin: IncomingRevision.Origin
    ) throws(StorageError) -> (json: [UInt8], attachments: [AttachmentUse]) {
        guard let entries = body.attachments else { return (body.canonical, []) }
        var revision = AdmittedRevision(
            session: session,
            generation: generation,
            ancestors: AncestorAttachments(session, id, tree, parent),
            scope: body.contentScope,
            isLocal: origin.isLocal
        )
        for (name, value) in entries {
            let entry = try AttachmentEntry(value)
            // A tombstone loses the document's attachments, but may add its own.
            if body.isDeleted, origin.isLocal, entry.isStub { continue }
            try revision.add(name, entry)
        }
        guard !revision.uses.isEmpty else { return (body.canonical, []) }
        guard var object = try JSONValue(parsing: body.canonical).objectValue else {
            throw StorageError(.badJSON, "A document must be a JSON object.")
        }
        object["_attachments"] = .object(revision.stubs)
        let json = try object.canonicalBytes()
        try DocumentBody.checkLength(of: json)
        return (json, revision.uses)
    }
}

extension IncomingRevision.Origin {
    var isLocal: Bool {
        if case .local = self { return true }
        return false
    }
}

/// A revision whose attachments are being admitted.
private struct AdmittedRevision {
    let session: WriteSession
    let generation: UInt64
    var ancestors: AncestorAttachments
    let scope: ContentScope
    let isLocal: Bool
    var stubs = JSONObject()
    var uses: [AttachmentUse] = []

    mutating func add(_ name: String, _ entry: AttachmentEntry) throws(StorageError) {
        try checkName(name)
        var entry = entry
        if entry.revpos > generation {
            guard !isLocal || !entry.isStub else {
                throw .attachment("An attachment's 'revpos' is above the generation of its revision.")
            }
            // Some servers send it so.
            entry.revpos = generation
        }
        let (stub, use) =
            switch entry.content {
            case .data(let text): try inline(name, text, entry)
            case .follows: try following(name, entry)
            case .stub: try inherited(name, entry)
            }
        try refuseAnotherContent(of: use)
        stubs[name] = stub.json
        uses.append(use)
    }

    private func checkName(_ name: String) throws(StorageError) {
        guard !name.isEmpty else { throw .attachment("An attachment's name must not be empty.") }
        // A name that another database has accepted is kept.
        guard !isLocal || (name.utf8.first != UInt8(ascii: "_") && !name.utf8.contains(0)) else {
            throw .attachment("An attachment's name must not begin with '_' nor contain NUL.")
        }
    }

    // MARK: - Content that comes along

    private mutating func inline(
        _ name: String,
        _ text: String,
        _ entry: AttachmentEntry
    ) throws(StorageError) -> (AttachmentStub, AttachmentUse) {
        guard let data = Base64.decode(text) else {
            throw .attachment("An attachment's 'data' is not base64.")
        }
        let staged = try session.database.stage(
            data,
            withMD5: isLocal && entry.digest?.kind == .md5,
            decodedLimit: entry.isGzip ? entry.plainLength ?? .max : nil
        )
        // CouchDB sends that of the encoded content with what it decodes to.
        if isLocal, let digest = entry.digest, digest != staged.sha1, digest != staged.md5 {
            throw .attachment(
                "An attachment's 'digest' is not that of its 'data'. Correct one of them, or leave it out."
            )
        }
        return try new(name, entry, staged)
    }

    private mutating func following(
        _ name: String,
        _ entry: AttachmentEntry
    ) throws(StorageError) -> (AttachmentStub, AttachmentUse) {
        guard let digest = entry.digest else {
            throw .attachment("An attachment that 'follows' needs the 'digest' of the content that was staged.")
        }
        let staged = staged(digest)
        guard let first = staged.first else {
            guard let use = try named(digest) else { throw lacking }
            return try new(name, entry, use)
        }
        guard staged.allSatisfy({ $0.content.sha256 == first.content.sha256 }) else {
            throw .twoContents
        }
        return try new(name, entry, first)
    }

    /// The staged contents that have a digest.
    private func staged(_ digest: AttachmentDigest) -> [StagedAttachment] {
        switch scope {
        case .database: session.database.stagedAttachments.find(digest)
        case .document(let own): own.filter { $0.sha1 == digest || $0.md5 == digest }
        }
    }

    /// The stored content that an entry names by its digest alone; nil if there is none that it may name.
    private mutating func named(_ digest: AttachmentDigest) throws(StorageError) -> AttachmentUse? {
        if case .document = scope {
            guard digest.kind == .sha1, try ancestors.documentHas(digest.bytes) else { return nil }
        }
        return try session.stored(digest)
    }

    /// Why an entry that follows has no content.
    private var lacking: StorageError {
        guard case .database = scope else { return .missingAttachment }
        return StorageError(
            .attachmentNotFound,
            "No content of an attachment's 'digest' was staged. Stage it, and keep it until the revision is saved."
        )
    }

    private mutating func new(
        _ name: String,
        _ entry: AttachmentEntry,
        _ staged: StagedAttachment
    ) throws(StorageError) -> (AttachmentStub, AttachmentUse) {
        let use = AttachmentUse(
            digest: staged.sha1.bytes,
            storageName: staged.name(in: try session.database.blobStore()),
            length: staged.content.length,
            staged: staged
        )
        return try new(name, entry, use)
    }

    /// Admits an attachment with its own content, as opposed to a stub.
    private mutating func new(
        _ name: String,
        _ entry: AttachmentEntry,
        _ use: AttachmentUse
    ) throws(StorageError) -> (AttachmentStub, AttachmentUse) {
        (try stub(name, entry, use, revpos: revpos(of: entry)), use)
    }

    /// The generation that brought a content which this document's line did not have under this name.
    ///
    /// Clients leave the `revpos` of before beside new data. A receiver that has that generation would keep its old
    /// content.
    private func revpos(of entry: AttachmentEntry) -> UInt64 {
        isLocal || entry.revpos == 0 ? generation : entry.revpos
    }

    private mutating func stub(
        _ name: String,
        _ entry: AttachmentEntry,
        _ use: AttachmentUse,
        revpos: UInt64
    ) throws(StorageError) -> AttachmentStub {
        var length = use.length
        if entry.isGzip {
            guard entry.encodedLength == nil || entry.encodedLength == use.length else {
                throw .attachment("An attachment's 'encoded_length' is not that of its content.")
            }
            length = try decodedLength(name, entry, use)
        } else if entry.length != nil, entry.length != use.length {
            throw .notItsLength
        }
        return AttachmentStub(
            name: name,
            contentType: entry.contentType,
            digest: use.digest,
            length: length,
            revpos: revpos,
            encodedLength: entry.isGzip ? use.length : nil
        )
    }

    /// Returns the decoded length of gzip content. It is always computed, because the length in an entry cannot be
    /// trusted.
    private mutating func decodedLength(
        _ name: String,
        _ entry: AttachmentEntry,
        _ use: AttachmentUse
    ) throws(StorageError) -> UInt64 {
        if let staged = use.staged {
            guard let length = staged.decodedLength, entry.plainLength ?? length == length else { throw .notGzip }
            return length
        }
        // Content of an ancestor was already decoded when it was added.
        if let known = try ancestors.attachment(name, AttachmentDigest(.sha1, use.digest)), known.encodedLength != nil,
            entry.plainLength ?? known.length == known.length
        {
            return known.length
        }
        guard let reader = try session.database.blobReader(use.storageName) else { throw .missingAttachment }
        guard let length = try DecodedLength.of(reader, upTo: entry.plainLength ?? .max),
            entry.plainLength ?? length == length
        else { throw .notGzip }
        return length
    }

    // MARK: - Stubs

    private mutating func inherited(
        _ name: String,
        _ entry: AttachmentEntry
    ) throws(StorageError) -> (AttachmentStub, AttachmentUse) {
        if let digest = entry.digest, digest.kind == .md5 { return try matched(name, entry, md5: digest.bytes) }
        // The entries of a foreign revision are complete; a local revision repeats the metadata of its parent.
        if isLocal || entry.digest == nil, var known = try ancestors.attachment(name, entry.digest) {
            guard let use = try session.stored(AttachmentDigest(.sha1, known.digest)) else { throw .missingAttachment }
            // Who has the parent, but nothing older, lacks what the parent does not have.
            if isLocal, try !ancestors.parentHas(known) { known.revpos = generation }
            return (known, use)
        }
        guard let digest = entry.digest, let use = try named(digest) else { throw .missingAttachment }
        return try new(name, entry, use)
    }

    /// Admits a stub that names its content by MD5.
    private mutating func matched(
        _ name: String,
        _ entry: AttachmentEntry,
        md5: [UInt8]
    ) throws(StorageError) -> (AttachmentStub, AttachmentUse) {
        guard var stub = try ancestor(name, entry, md5: md5),
            let use = try session.stored(AttachmentDigest(.sha1, stub.digest))
        else { throw .missingAttachment }
        if isLocal, stub.name.utf8.elementsEqual(name.utf8) {
            if try !ancestors.parentHas(stub) { stub.revpos = generation }
            return (stub, use)
        }
        // Lengths and encoding are those of what is stored here.
        stub.name = name
        stub.contentType = entry.contentType ?? stub.contentType
        stub.revpos = revpos(of: entry)
        return (stub, use)
    }

    /// Returns the attachment of an ancestor that a stub of another server stands for. Such a server names contents by
    /// MD5, and what it stores encoded by the MD5 of the encoded form. The name and the revision that added it identify
    /// the content; if they match nothing, MD5 and length do.
    private mutating func ancestor(
        _ name: String,
        _ entry: AttachmentEntry,
        md5: [UInt8]
    ) throws(StorageError) -> AttachmentStub? {
        if let named = try ancestors.attachment({ entry.names($0, name) }) { return named }
        let session = session
        return try ancestors.attachment { (stub) throws(StorageError) in
            // `prepareStubs` has computed it before the transaction, where it could.
            guard entry.hasLength(of: stub) else { return false }
            return try session.md5(of: stub.digest) == md5
        }
    }

    // MARK: - Digests

    /// Two contents with the same SHA-1 cannot be told apart by stubs.
    private func refuseAnotherContent(of use: AttachmentUse) throws(StorageError) {
        let same = uses.first { $0.digest == use.digest }
        guard same == nil || same?.storageName == use.storageName else { throw .twoContents }
        guard let known = try session.direct.blobReference(use.digest), known.count > 0 else { return }
        guard known.storageName == use.storageName else { throw .twoContents }
    }
}

extension StorageError {
    static var notItsLength: StorageError { .attachment("An attachment's 'length' is not that of its content.") }

    fileprivate static var notGzip: StorageError {
        .attachment(
            "An attachment's content does not decode to its 'length' as its 'encoding', gzip, says. Correct the "
                + "length, or leave both out."
        )
    }

    fileprivate static var twoContents: StorageError {
        .attachment(
            "The attachment has the SHA-1 of another one with different content, which the database holds. Change the "
                + "content, or remove the other one and compact."
        )
    }
}

extension WriteSession {
    /// Returns a content of the database, or nil if the database has none with this digest, or has lost it.
    fileprivate func stored(_ digest: AttachmentDigest) throws(StorageError) -> AttachmentUse? {
        guard digest.kind == .sha1, let reference = try direct.blobReference(digest.bytes),
            try database.hasBlob(reference.storageName)
        else { return nil }
        return AttachmentUse(
            digest: digest.bytes,
            storageName: reference.storageName,
            length: reference.length,
            staged: nil
        )
    }
}
