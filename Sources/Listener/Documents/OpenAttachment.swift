internal import SetteeCouchProtocol
internal import SetteeDocumentValues
internal import SetteeEngine
internal import StorageProtocol

/// An attachment that was found, with its content open for reading.
struct OpenAttachment: Sendable {
    let contentType: String
    /// Whether what is stored is encoded.
    let isGzip: Bool
    /// Of what is stored, in base64.
    let md5: String
    let reader: AttachmentReader

    /// Opens the attachment with a name. Blocks.
    ///
    /// - Parameter encoded: Whether encoded content is to be read as it is stored.
    /// - Throws: `not_found` (404), about the document or the attachment.
    init(
        _ name: String,
        of id: DocumentID,
        _ wanted: DocumentOptions,
        encoded: Bool,
        in database: Database
    ) throws {
        var found: (attachment: Attachment, reader: AttachmentReader)?
        try Exchange.withRevision(id, wanted, in: database) { revision, json in
            guard revision.hasAttachments,
                let attachment = try revision.saved(json, in: database).attachment(named: name)
            else { throw CouchError.noAttachment }
            found = (attachment, try attachment.openReader(encoded: encoded))
        }
        guard let (attachment, reader) = found, let digest = AttachmentDigest(attachment.digest) else {
            throw CouchError.noAttachment
        }
        contentType = attachment.sentContentType
        isGzip = attachment.encodedLength != nil
        self.reader = reader
        do throws(StorageError) {
            // Outside of the state that was read, so that an MD5 that had to be computed is kept.
            let bytes = try database.md5(ofContents: [digest.bytes])[0]
            md5 = String(AttachmentDigest(.md5, bytes).text.dropFirst(AttachmentDigest.Kind.md5.rawValue.count))
        } catch {
            // The revision has gone meanwhile.
            guard error.code == .attachmentNotFound else { throw error }
            throw CouchError.missing
        }
    }
}

extension Attachment {
    /// Its type, or the one of unknown bytes.
    var sentContentType: String {
        guard let contentType, !contentType.isEmpty else { return "application/octet-stream" }
        return contentType
    }
}

extension FoundRevision {
    /// The revision with a copy of its stored text.
    func saved(_ json: RawSpan, in database: Database) -> SavedRevision {
        SavedRevision(
            in: database,
            documentID: documentID,
            id: id,
            sequence: sequence,
            isDeleted: isDeleted,
            json: unsafe json.withUnsafeBytes { unsafe Array($0) }
        )
    }
}
