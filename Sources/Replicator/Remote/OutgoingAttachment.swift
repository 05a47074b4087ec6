internal import SetteeDocumentValues

/// An attachment on its way to a server.
struct OutgoingAttachment: Sendable {
    let name: String
    let entry: JSONObject
    let wish: AttachmentWish
    /// Whether an ancestor that the server has had it already.
    let isKnown: Bool

    /// - Parameter knownGeneration: That of the newest ancestor that the server has.
    init(_ name: String, _ entry: JSONObject, of revision: TransferredRevision, knownGeneration: Int) {
        self.name = name
        self.entry = entry
        let length = entry["encoded_length"] ?? entry["length"]
        wish = AttachmentWish(
            documentID: revision.documentID,
            revision: revision.history[0],
            name: name,
            digest: entry["digest"]?.stringValue ?? "",
            length: length?.intValue.flatMap { UInt64(exactly: $0) } ?? 0,
            encoding: entry["encoding"]?.stringValue
        )
        let position = entry["revpos"]?.intValue ?? .max
        isKnown = position <= knownGeneration
    }

    /// Whether the entry holds the content.
    var hasData: Bool { entry["data"] != nil }

    /// How many bytes the content has where it is not encoded.
    var length: UInt64 { entry["length"]?.intValue.flatMap { UInt64(exactly: $0) } ?? wish.length }

    var contentType: String { entry["content_type"]?.stringValue ?? "application/octet-stream" }

    /// The entry that names the content only.
    var stub: JSONObject { changed { $0["stub"] = true } }

    /// The entry of a content that follows the JSON.
    var following: JSONObject { changed { $0["follows"] = true } }

    /// The entry with the content, which is not encoded.
    func inline(_ base64: String) -> JSONObject {
        changed { entry in
            for name in ["digest", "length", "encoding", "encoded_length"] { entry[name] = nil }
            entry["data"] = .string(base64)
        }
    }

    private func changed(_ change: (inout JSONObject) -> Void) -> JSONObject {
        var changed = entry
        for name in ["stub", "follows", "data"] { changed[name] = nil }
        change(&changed)
        return changed
    }
}
