internal import SetteeCouchProtocol
internal import SetteeDocumentValues
internal import SetteeEngine
internal import StorageProtocol

/// Documents as clients send them. A local document may have a revision as CouchDB writes it, `0-N`, and `_exp` says
/// when a document expires.
extension DocumentBody {
    /// - Parameter id: The document's ID, if it does not stand in the body.
    /// - Throws: `doc_validation` (400) for an unknown member whose name begins with `_`; `bad_request` (400),
    ///   `too_large` (413).
    init(wire json: RawSpan, for id: DocumentID? = nil) throws(CouchError) {
        var parser = JSONParser()
        try self.init(wire: json, for: id, with: &parser)
    }

    /// Does the same with a parser that is used afterwards.
    init(wire json: RawSpan, for id: DocumentID? = nil, with parser: inout JSONParser) throws(CouchError) {
        do throws(StorageError) {
            try self.init(parsing: json, with: &parser)
        } catch {
            // What the engine does not know is rare, so that it is looked for only here.
            guard error.code == .badJSON || error.code == .badRequest,
                let object = try? JSONValue(parsing: json).objectValue
            else { throw CouchError(error) }
            try self.init(wire: object, isLocal: (id?.string ?? object["_id"]?.stringValue)?.isLocalID ?? false)
        }
        if (id?.string ?? self.id)?.isLocalID == true {
            // CouchDB keeps neither.
            if let parent = history.first { revision = parent }
            history = []
            attachments = nil
        }
        if let attachments {
            self.attachments = DocumentBody.withoutClaims(attachments)
            contentScope = .document(staged: [])
        }
    }

    /// Without what entries say of a content that they bring along. CouchDB ignores it, and clients send what is not
    /// true: LightCouch `"length":0`, others the digest of the content that theirs takes the place of.
    private static func withoutClaims(_ attachments: JSONObject) -> JSONObject {
        var attachments = attachments
        for (name, value) in attachments {
            guard var entry = value.objectValue, let data = entry["data"]?.stringValue else { continue }
            if let encoding = entry["encoding"], !encoding.isNull {
                guard !isEncoded(data, entry["encoded_length"]?.intValue) else { continue }
                entry["encoding"] = nil
                entry["encoded_length"] = nil
            }
            entry["length"] = nil
            entry["digest"] = nil
            attachments[name] = .object(entry)
        }
        return attachments
    }

    /// Whether base64 holds gzip, as its entry says. CouchDB sends the decoded content with the entry of the encoded
    /// one.
    private static func isEncoded(_ data: String, _ length: Int64?) -> Bool {
        // The first three bytes of gzip with deflate.
        guard data.utf8.starts(with: "H4sI".utf8) else { return false }
        guard let length else { return true }
        let digits = data.utf8.count(where: { $0 != UInt8(ascii: "=") && $0 > UInt8(ascii: " ") })
        return digits * 3 / 4 == length
    }

    private init(wire object: JSONObject, isLocal: Bool) throws(CouchError) {
        var object = object
        object.readRevision(isLocal: isLocal)
        let given = object.remove("_exp")
        for name in object.keys where name.utf8.first == UInt8(ascii: "_") {
            guard DocumentBody.reservedNames.contains(name) else {
                throw .specialMember(String(decoding: name.utf8.prefix(100), as: UTF8.self))
            }
        }
        do throws(StorageError) {
            try self.init(object)
            expiration = try given.map { (value) throws(StorageError) in try GivenExpiration(json: value) }
        } catch {
            throw CouchError(error)
        }
    }
}

extension JSONObject {
    /// Reads the revision of a local document as CouchDB writes it: `0-N` in `_rev`, or `{"start":0,"ids":["N"]}` in
    /// `_revisions`, which counts where they differ. `0-0` is that of a deleted one, which leaves nothing behind here.
    /// No other document has a revision of this form, so that it is a conflict there.
    fileprivate mutating func readRevision(isLocal: Bool) {
        if isLocal, let revisions = self["_revisions"], revisions["start"]?.intValue == 0,
            let number = revisions["ids"]?.arrayValue?.first?.stringValue
        {
            self["_rev"] = .string("0-" + number)
            self["_revisions"] = nil
        }
        guard let text = self["_rev"]?.stringValue, text.hasPrefix("0-") else { return }
        if isLocal, text == "0-0" {
            self["_rev"] = nil
        } else if let revision = try? RevisionID(wire: text) {
            self["_rev"] = .string(revision.string)
        }
    }
}

extension String {
    fileprivate var isLocalID: Bool { utf8.starts(with: "_local/".utf8) }
}
