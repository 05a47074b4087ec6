internal import Foundation
package import SetteeDocumentValues
package import StorageProtocol

extension Attachment {
    /// The attachment that an entry of `_attachments` stands for: a stored one, or one that is to be saved.
    ///
    /// - Parameter staged: the content that the entry's digest names, where it is at hand. Else it is the
    ///   database's.
    /// - Throws: `badAttachment` (491) for an entry that is malformed; `attachmentNotFound` (492) where it names
    ///   nothing.
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
            guard let data = Data(base64Encoded: text).map({ Array($0) }) else {
                throw .attachment("An attachment's 'data' is not base64.")
            }
            let staged = try database.stage(
                data,
                withMD5: false,
                decodedLimit: entry.isGzip ? entry.length ?? .max : nil
            )
            guard let length = entry.isGzip ? staged.decodedLength : staged.length, entry.length ?? length == length
            else {
                throw .notItsLength
            }
            let stub = AttachmentStub(name, entry, staged.sha1, length, encoded: staged.length)
            self.init(database: database, stub: stub, staged: staged)
        }
    }
}

extension AttachmentStub {
    /// An attachment that no revision has yet.
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
