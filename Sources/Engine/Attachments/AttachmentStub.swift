package import SetteeDocumentValues
package import StorageProtocol

/// An attachment as a stored revision has it, without the content.
package struct AttachmentStub: Sendable {
    package var name: String
    package var contentType: String?
    /// The SHA-1 of the stored bytes, 20 bytes.
    package var digest: [UInt8]
    /// The length of the decoded content.
    package var length: UInt64
    package var revpos: UInt64
    /// The number of stored bytes, if they are encoded with gzip.
    package var encodedLength: UInt64?

    /// The number of stored bytes.
    var storedLength: UInt64 { encodedLength ?? length }

    /// The entry of a stored body.
    package var json: JSONValue {
        var entry: JSONObject = [
            "digest": .string(AttachmentDigest(.sha1, digest).text),
            "length": JSONValue(length),
            "revpos": JSONValue(revpos),
            "stub": true,
        ]
        if let contentType { entry["content_type"] = .string(contentType) }
        if let encodedLength {
            entry["encoding"] = "gzip"
            entry["encoded_length"] = JSONValue(encodedLength)
        }
        return .object(entry)
    }

    package init(
        name: String,
        contentType: String?,
        digest: [UInt8],
        length: UInt64,
        revpos: UInt64,
        encodedLength: UInt64?
    ) {
        self.name = name
        self.contentType = contentType
        self.digest = digest
        self.length = length
        self.revpos = revpos
        self.encodedLength = encodedLength
    }

    /// - Throws: `badAttachment` (491) if the entry does not have the form that this program stores.
    package init(_ name: String, stored: JSONValue) throws(StorageError) {
        let entry = try AttachmentEntry(stored)
        guard let digest = entry.digest, digest.kind == .sha1, let length = entry.length else {
            throw .attachment("A stored attachment has no digest or length.")
        }
        self.init(
            name: name,
            contentType: entry.contentType,
            digest: digest.bytes,
            length: length,
            revpos: entry.revpos,
            encodedLength: entry.isGzip ? entry.encodedLength : nil
        )
    }

    /// Returns the attachments of a stored body, in the order of their names. Complexity: O(bytes). If no member's name
    /// begins with `_`, only the names are examined.
    static func all(in json: RawSpan) throws(StorageError) -> [AttachmentStub] {
        var parser = JSONParser()
        do {
            try parser.parse(json)
        } catch {
            throw .corrupt("The body of a revision is damaged", cause: error)
        }
        guard parser.hasReservedMembers, let root = parser.root, let node = parser.member("_attachments", of: root),
            let entries = parser.value(of: node).objectValue
        else { return [] }
        var stubs: [AttachmentStub] = []
        for (name, value) in entries {
            do {
                stubs.append(try AttachmentStub(name, stored: value))
            } catch {
                throw .corrupt("The attachments of a revision are damaged", cause: error)
            }
        }
        return stubs
    }
}
