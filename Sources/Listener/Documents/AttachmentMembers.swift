internal import Foundation
internal import SetteeCouchProtocol
internal import SetteeDocumentValues
internal import SetteeEngine
internal import StorageProtocol

/// How `_attachments` is sent: with which digests, and whether with contents.
struct AttachmentMembers: Sendable {
    /// Which contents come with the document.
    enum Contents: Sendable {
        /// None: stubs.
        case none
        /// As base64 in the JSON: those that were added after this generation; 0 for all.
        case inline(after: UInt64)
        /// Behind the JSON, in parts of their own: those that were added after this generation.
        case following(after: UInt64)
    }

    let database: Database
    /// Whether peers compare SHA-1s as this database stores them, or MD5s, as CouchDB and PouchDB do.
    let usesStoredDigests: Bool
    var contents = Contents.none
    /// Whether it is said how contents are encoded.
    var includesEncodingInfo = false

    /// A content that comes with a document must not be larger to be sent as base64.
    private static let mostInline: UInt64 = 32 << 20

    /// The same, without the contents that the client already has from one of these revisions.
    func without(contentsOf revisions: [RevisionID]?, of found: FoundRevision) -> AttachmentMembers {
        guard let revisions else { return self }
        let known = Set(revisions)
        let generation = found.history.first(where: known.contains)?.generation ?? 0
        var members = self
        switch contents {
        case .none: break
        case .inline: members.contents = .inline(after: generation)
        case .following: members.contents = .following(after: generation)
        }
        return members
    }

    /// Returns the member's value for stored stubs.
    ///
    /// - Throws: `attachmentNotFound` (492) if a content is lost, `too_large` (413) for contents that are too large to
    ///   be sent as base64.
    func members(of stubs: JSONObject) throws -> JSONObject {
        var members = JSONObject()
        for (name, value) in stubs {
            let stub = try AttachmentStub(name, stored: value)
            var entry = value.objectValue ?? JSONObject()
            if !usesStoredDigests {
                if entry["content_type"] == nil { entry["content_type"] = "application/octet-stream" }
                guard let md5 = try database.md5(ofContents: [stub.digest]).first else {
                    throw StorageError.missingAttachment
                }
                entry["digest"] = .string(AttachmentDigest(.md5, md5).text)
            }
            switch contents {
            case .inline(let generation) where stub.revpos > generation:
                guard stub.length <= AttachmentMembers.mostInline else { throw CouchError.tooLarge }
                let content = try Attachment(database: database, stub: stub).content()
                entry["data"] = .string(Data(content).base64EncodedString())
                entry["stub"] = nil
                entry["length"] = nil
                // The data is decoded.
                entry["encoding"] = nil
                entry["encoded_length"] = nil
            case .following(let generation) where stub.revpos > generation:
                entry["follows"] = true
                entry["stub"] = nil
            default: break
            }
            if !includesEncodingInfo {
                if case .following(let generation) = contents, stub.revpos > generation {
                    // The part is sent as it is stored.
                } else {
                    entry["encoding"] = nil
                    entry["encoded_length"] = nil
                }
            }
            members[name] = .object(entry)
        }
        return members
    }
}
