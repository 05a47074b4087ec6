internal import SetteeCouchProtocol
internal import SetteeDocumentValues

/// A revision on its way to a server.
struct OutgoingDocument: Sendable {
    /// Its place among those that are inserted.
    let place: Int
    let revision: TransferredRevision
    /// Its attachments in their order; empty if the text has none.
    let attachments: [OutgoingAttachment]

    init(_ revision: TransferredRevision, at place: Int) throws(PeerError) {
        self.place = place
        self.revision = revision
        guard revision.hasAttachments else {
            attachments = []
            return
        }
        let members = try OutgoingDocument.members(of: revision)["_attachments"]?.objectValue ?? JSONObject()
        let proof = OutgoingDocument.newestKnown(revision)
        attachments = members.compactMap { name, value in
            value.objectValue.map { OutgoingAttachment(name, $0, of: revision, knownGeneration: proof) }
        }
    }

    /// How long the longest of the texts is that multipart/related puts into a URL or the headers of a part: the ID,
    /// and the attachments' names.
    var longestAddress: Int {
        attachments.reduce(RemoteRequest.path(of: revision.documentID).utf8.count) {
            max($0, ContentDisposition.attachment($1.name).utf8.count)
        }
    }

    /// Those whose contents the server may lack.
    ///
    /// - Parameter provesNothing: Whether the server has said that it lacks what it should have.
    func lacking(provesNothing: Bool) -> [OutgoingAttachment] {
        attachments.filter { !$0.hasData && (provesNothing || !$0.isKnown) }
    }

    /// The document as `_bulk_docs` takes it.
    ///
    /// - Parameter entries: What `_attachments` is instead; nil: as it is.
    func text(_ entries: JSONObject? = nil) throws -> [UInt8] {
        var bytes: [UInt8] = Array(#"{"_id":"#.utf8)
        JSONText.append(revision.documentID, to: &bytes)
        bytes += #","_rev":"#.utf8
        JSONText.append(revision.history[0], to: &bytes)
        appendHistory(to: &bytes)
        if revision.isDeleted { bytes += #","_deleted":true"#.utf8 }
        var json = revision.json
        if let entries {
            var members = try OutgoingDocument.members(of: revision)
            members["_attachments"] = .object(entries)
            json = try members.canonicalBytes()
        }
        let rest = json.dropFirst().drop { [0x20, 0x09, 0x0A, 0x0D].contains($0) }
        if rest.first != UInt8(ascii: "}") { bytes.append(UInt8(ascii: ",")) }
        bytes += rest
        return bytes
    }

    /// Adds `_revisions`, whose generations follow one another.
    private func appendHistory(to bytes: inout [UInt8]) {
        guard let start = OutgoingDocument.generation(of: revision.history[0]) else { return }
        bytes += #","_revisions":{"start":\#(start),"ids":["#.utf8
        for (distance, id) in revision.history.enumerated() {
            guard OutgoingDocument.generation(of: id) == start - distance else { break }
            if distance > 0 { bytes.append(UInt8(ascii: ",")) }
            JSONText.append(String(id.drop { $0 != "-" }.dropFirst()), to: &bytes)
        }
        bytes += "]}".utf8
    }

    private static func members(of revision: TransferredRevision) throws(PeerError) -> JSONObject {
        guard let members = (try? JSONValue(parsing: revision.json))?.objectValue else {
            throw PeerError(.badDocument, "A document is no JSON object.")
        }
        return members
    }

    private static func generation(of revision: String) -> Int? { Int(revision.prefix { $0 != "-" }) }

    /// The generation of the newest ancestor that the server has; 0 if it has none.
    private static func newestKnown(_ revision: TransferredRevision) -> Int {
        let known = Set(revision.knownAncestors)
        return revision.history.first { known.contains($0) }.flatMap { generation(of: $0) } ?? 0
    }
}
