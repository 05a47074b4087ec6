package import SetteeDocumentValues
package import StorageProtocol

extension Attachment {
    /// Returns the attachment that an entry of `_attachments` describes: a stored one, or one that is about to be
    /// saved.
    ///
    /// - Parameter staged: The content that the entry's digest names, if the caller has it. Else the database's content
    ///   is used.
    /// - Throws: `badAttachment` (491) if the entry is malformed; `attachmentNotFound` (492) if there is no content for
    ///   it.
    package init(
        in database: Database,
        named name: String,
        entry json: JSONValue,
        staged: StagedAttachment?
    ) throws(StorageError) {
        let entry = try AttachmentEntry(json)
        switch entry.content {
        case .stub: self.init(database: database, stub: try AttachmentStub(name, stored: json), staged: staged)
        case .follows:
            guard let digest = staged?.sha1 ?? entry.digest, let length = entry.length ?? staged?.length else {
                throw .missingAttachment
            }
            let stub = AttachmentStub(name, entry, digest, length, encoded: entry.encodedLength ?? staged?.length)
            self.init(database: database, stub: stub, staged: staged)
        case .data(let text):
            guard let data = Base64.decode(text) else {
                throw .attachment("An attachment's 'data' is not base64.")
            }
            let staged = try database.stage(
                data,
                withMD5: false,
                decodedLimit: entry.isGzip ? entry.plainLength ?? .max : nil
            )
            guard let length = entry.isGzip ? staged.decodedLength : staged.length,
                entry.plainLength ?? length == length
            else {
                throw .notItsLength
            }
            let stub = AttachmentStub(name, entry, staged.sha1, length, encoded: staged.length)
            self.init(database: database, stub: stub, staged: staged)
        }
    }
}

extension AttachmentStub {
    /// An attachment that is not part of a revision yet.
    fileprivate init(
        _ name: String,
        _ entry: AttachmentEntry,
        _ digest: AttachmentDigest,
        _ length: UInt64,
        encoded: UInt64?
    ) {
        self.init(
            name: name,
            contentType: entry.contentType,
            digest: digest.bytes,
            length: length,
            revpos: 0,
            encodedLength: entry.isGzip ? encoded : nil
        )
    }
}
