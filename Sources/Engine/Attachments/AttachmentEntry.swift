internal import SetteeDocumentValues
package import StorageProtocol

/// One member of `_attachments` as a caller gives it.
struct AttachmentEntry {
    enum Content {
        /// Base64.
        case data(String)
        /// Content that was staged, or that the database already has, named by its digest.
        case follows
        /// The content that the parent revision has.
        case stub
    }

    var content: Content
    var contentType: String?
    var digest: AttachmentDigest?
    /// The length of the decoded content.
    var length: UInt64?
    /// 0 if none was given.
    var revpos: UInt64
    var isGzip: Bool
    var encodedLength: UInt64?

    var isStub: Bool {
        if case .stub = content { return true }
        return false
    }

    /// Whether name and generation of this stub of another server are those of an ancestor's attachment.
    func names(_ stub: AttachmentStub, _ name: String) -> Bool {
        revpos > 0 && stub.revpos == revpos && stub.name.utf8.elementsEqual(name.utf8)
    }

    /// Whether the length, if it has one, is that of an ancestor's attachment.
    func hasLength(of stub: AttachmentStub) -> Bool { plainLength == nil || plainLength == stub.length }

    /// The length without the encoding, if the entry says it. CouchDB does not know it of what it got encoded, and says
    /// that it is the encoded one.
    var plainLength: UInt64? { isGzip && length == encodedLength ? nil : length }

    /// - Throws: `badAttachment` (491).
    init(_ value: JSONValue) throws(StorageError) {
        guard let entry = value.objectValue else { throw .attachment("An attachment's entry must be an object.") }
        if let data = try entry.text("data") {
            content = .data(data)
        } else if try entry.flag("follows") {
            content = .follows
        } else if try entry.flag("stub") {
            content = .stub
        } else {
            throw .attachment("An attachment needs 'data' in base64, or 'follows' or 'stub' that is true.")
        }
        contentType = try entry.text("content_type")
        digest = nil
        if let text = try entry.text("digest") {
            guard let parsed = AttachmentDigest(text) else {
                throw .attachment("An attachment's 'digest' must be 'sha1-' or 'md5-' and the digest in base64.")
            }
            digest = parsed
        }
        length = try entry.number("length")
        revpos = try entry.number("revpos") ?? 0
        encodedLength = try entry.number("encoded_length")
        switch try entry.text("encoding") {
        case nil: isGzip = false
        case "gzip": isGzip = true
        default: throw .attachment("The only 'encoding' of an attachment that is known is gzip.")
        }
    }
}

extension JSONObject {
    /// Returns a member that must be a string if present; null counts as absent.
    fileprivate func text(_ name: String) throws(StorageError) -> String? {
        guard let value = self[name], !value.isNull else { return nil }
        guard let text = value.stringValue else { throw .attachment("An attachment's '\(name)' must be a string.") }
        return text
    }

    fileprivate func number(_ name: String) throws(StorageError) -> UInt64? {
        guard let value = self[name], !value.isNull else { return nil }
        guard let number = value.intValue, number >= 0 else {
            throw .attachment("An attachment's '\(name)' must be a whole number, 0 or more.")
        }
        return UInt64(number)
    }

    fileprivate func flag(_ name: String) throws(StorageError) -> Bool {
        guard let value = self[name], !value.isNull else { return false }
        guard let flag = value.boolValue else { throw .attachment("An attachment's '\(name)' must be true or false.") }
        return flag
    }
}

extension StorageError {
    static func attachment(_ message: String) -> StorageError { StorageError(.badAttachment, message) }

    package static var missingAttachment: StorageError {
        StorageError(
            .attachmentNotFound,
            "An attachment's entry names a content that it may not stand for: there is none, or only other documents "
                + "have it. Give the content itself."
        )
    }
}
