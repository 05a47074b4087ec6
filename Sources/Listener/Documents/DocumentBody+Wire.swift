internal import SetteeCouchProtocol
internal import SetteeDocumentValues
internal import SetteeEngine
internal import StorageProtocol

/// Documents as clients send them. That of a local document may have a revision as CouchDB writes it, `0-N`, and
/// `_exp` says when the document expires.
extension DocumentBody {
    /// - Throws: `doc_validation` (400) for an unknown member whose name begins with `_`; `bad_request` (400),
    ///   `too_large` (413).
    init(wire json: RawSpan) throws(CouchError) {
        var parser = JSONParser()
        try self.init(wire: json, with: &parser)
    }

    /// Does the same with a parser that is used afterwards.
    init(wire json: RawSpan, with parser: inout JSONParser) throws(CouchError) {
        do throws(StorageError) {
            try self.init(parsing: json, with: &parser)
        } catch {
            // What the engine does not know is rare, so that it is looked for only here.
            guard error.code == .badJSON || error.code == .badRequest,
                let object = try? JSONValue(parsing: json).objectValue
            else { throw CouchError(error) }
            try self.init(wire: object)
        }
        if let attachments { self.attachments = DocumentBody.withoutClaims(attachments) }
    }

    /// Without what entries say of a content that they bring along. CouchDB ignores it, and clients send what is not
    /// true: LightCouch `"length":0`, others the digest of the content that theirs takes the place of.
    private static func withoutClaims(_ attachments: JSONObject) -> JSONObject {
        var attachments = attachments
        for (name, value) in attachments {
            guard var entry = value.objectValue, entry["data"]?.stringValue != nil, entry["encoding"] == nil else {
                continue
            }
            entry["length"] = nil
            entry["digest"] = nil
            attachments[name] = .object(entry)
        }
        return attachments
    }

    private init(wire object: JSONObject) throws(CouchError) {
        var object = object
        let expiration = try object["_exp"].map { (value) throws(CouchError) in try GivenExpiration(wire: value) }
        object["_exp"] = nil
        for name in object.keys where name.utf8.first == UInt8(ascii: "_") {
            guard DocumentBody.reservedNames.contains(name) else {
                throw .specialMember(String(decoding: name.utf8.prefix(100), as: UTF8.self))
            }
        }
        if let text = object["_rev"]?.stringValue, text.hasPrefix("0-"), let revision = try? RevisionID(wire: text) {
            object["_rev"] = .string(revision.string)
        }
        do throws(StorageError) {
            try self.init(object)
        } catch {
            throw CouchError(error)
        }
        self.expiration = expiration
    }
}
