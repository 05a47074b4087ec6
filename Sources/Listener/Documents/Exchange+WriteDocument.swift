internal import HTTPTypes
internal import SetteeCouchProtocol
internal import SetteeDocumentValues
internal import SetteeEngine
internal import StorageProtocol

/// Writes of one document. They go through the database's lane.
extension Exchange {
    func putDocument(_ id: DocumentID, in served: ServedDatabase) async throws -> Answer {
        var wanted = try WriteOptions(options)
        try wanted.require(ifMatch: header(.ifMatch))
        if let type = header(.contentType), (try? HeaderValue(type).value.lowercased()) == "multipart/related" {
            return try await putRelatedDocument(id, wanted, in: served)
        }
        // Whatever its type is, as in CouchDB: no form sends a PUT, and a script of another site asks first.
        let bytes = try await collectBody(upTo: core.options.documentBytes)
        let body = try await blocking { try DocumentBody(wire: unsafe bytes.span.bytes, for: id) }
        return try await write(body, as: id, wanted, in: served)
    }

    /// POST of a database: a document with the ID in its body, or one that is made here.
    func postDocument(in served: ServedDatabase) async throws -> Answer {
        try ContentTypes.requireJSON(request.head.headerFields)
        let wanted = try WriteOptions(options)
        let bytes = try await collectBody(upTo: core.options.documentBytes)
        let body = try await blocking { try DocumentBody(wire: unsafe bytes.span.bytes) }
        let id = try Exchange.documentID(body.id ?? Database.makeID())
        try await requireWrite(of: id.string, in: served)
        return try await write(body, as: id, wanted, in: served)
    }

    func deleteDocument(_ id: DocumentID, in served: ServedDatabase) async throws -> Answer {
        var wanted = try WriteOptions(options)
        try wanted.require(ifMatch: header(.ifMatch))
        let parent = wanted.revision
        let saved = try await served.write(bytes: 100, by: access.user) {
            guard let found = try served.database[id].revision() else { throw CouchError.missing }
            guard !found.isDeleted else { throw CouchError.deleted }
            // Without a revision it is a conflict, as in CouchDB: nobody deletes what they have not read.
            guard let parent else { throw CouchError.conflict }
            return try served.database[id].delete(parent: parent)
        }
        return .written(saved, status: .ok)
    }

    /// COPY: the header `Destination` names the new document, and its revision if it exists.
    func copyDocument(_ id: DocumentID, in served: ServedDatabase) async throws -> Answer {
        guard let destination = header(HTTPField.Name("Destination")!) else {
            throw CouchError.badRequest("Destination header is mandatory for COPY.")
        }
        guard !["http://", "https://"].contains(where: { destination.lowercased().hasPrefix($0) }) else {
            throw CouchError.badRequest("Destination URL must be relative.")
        }
        let target = try RequestTarget(destination.utf8.first == UInt8(ascii: "/") ? destination : "/" + destination)
        let copyID = try Exchange.documentID(target.segments.map(\.string).joined(separator: "/"))
        // The right to write local documents is for checkpoints. A copy needs the right to write.
        try await require(copyID.isLocal ? .databaseWrite : Route.right(toWrite: copyID.string), in: served)
        let parent = try RequestOptions(query: target.query).revision("rev")
        let revision = try options.revision("rev")
        if copyID.isDesign {
            try await blocking {
                let document = served.database[id]
                let found = if let revision { try document.revision(revision) } else { try document.revision() }
                if let found { try served.check(DocumentBody(found.properties), as: copyID) }
            }
        }
        let saved = try await served.write(bytes: 1_000, by: access.user) {
            let document = served.database[id]
            let found = if let revision { try document.revision(revision) } else { try document.revision() }
            guard let found, !found.isDeleted || revision != nil else { throw CouchError.missing }
            let body = try DocumentBody(found.properties.bringingAttachments)
            return try served.database.save(body, as: copyID, parent: parent)
        }
        return .written(saved, status: .created, location: location(served.name, copyID.string))
    }

    /// Saves a body under an ID. Another ID in the body does not count, as in CouchDB.
    func write(
        _ body: DocumentBody,
        as id: DocumentID,
        _ wanted: WriteOptions,
        in served: ServedDatabase
    ) async throws -> Answer {
        let body = body.asWritten(to: id)
        try await requireRoom(for: id, bytes: body.canonical.count, in: served)
        var parent = wanted.revision
        if let inside = body.namedRevision, !id.isLocal {
            guard parent == nil || parent == inside else {
                throw CouchError.badRequest("Document rev from request body and query string have different values")
            }
            parent = inside
        }
        try await blocking { try served.check(body, as: id) }
        let saved: SavedRevision
        if wanted.makesRevisions || id.isLocal {
            saved = try await served.write(bytes: body.canonical.count, by: access.user) { [parent] in
                let saved = try served.database.save(body, as: id, parent: parent)
                // Replicators keep their checkpoints so.
                if id.isLocal { try served.database.keepReplicatedHistories() }
                return saved
            }
        } else {
            saved = try await insert(body, as: id, in: served)
        }
        let location = location(served.name, id.string)
        return wanted.isBatched
            ? .accepted(id, location: location) : .written(saved, status: .created, location: location)
    }

    /// `new_edits=false`: the revision was made elsewhere, and keeps its ID. A known one is left as it is, whether its
    /// body is kept or not.
    ///
    /// - Throws: `forbidden` (403) for what is refused for this document's sake, since another status ends a job of
    ///   CouchDB's replicator. It expects `missing_stub` (412) and `too_large` (413), too.
    private func insert(
        _ body: DocumentBody,
        as id: DocumentID,
        in served: ServedDatabase
    ) async throws -> SavedRevision {
        guard body.namedRevision != nil else {
            throw CouchError.badRequest("When `new_edits: false`, the document needs a `_rev`.")
        }
        let revision = try ForeignRevision(wire: body, id)
        // Before the lane's transaction, in which others wait.
        if body.attachments != nil { try await blocking { served.database.prepareStubs(of: [revision]) } }
        return try await served.write(bytes: body.canonical.count, by: access.user) {
            let database = served.database
            if case .refused(let error) = try database.forceInsert([revision]).first {
                guard error.code == .badAttachment || error.code == .badRequest else { throw error }
                throw CouchError(403, "forbidden", error.message)
            }
            // The answer has the ID alone.
            return SavedRevision(
                in: database,
                documentID: id,
                id: revision.history[0],
                sequence: 0,
                isDeleted: body.isDeleted,
                json: []
            )
        }
    }
}

extension JSONObject {
    /// A stored body for another document, which has none of its attachments yet.
    fileprivate var bringingAttachments: JSONObject {
        guard let entries = self["_attachments"]?.objectValue else { return self }
        var brought = entries
        for (name, value) in entries {
            guard var entry = value.objectValue else { continue }
            for member in ["stub", "revpos"] { entry[member] = nil }
            entry["follows"] = true
            brought[name] = .object(entry)
        }
        var object = self
        object["_attachments"] = .object(brought)
        return object
    }
}

extension DocumentBody {
    /// Without the ID in it, and without attachments if that of the URL is a local document's: CouchDB's have none, and
    /// it says nothing of it.
    fileprivate func asWritten(to other: DocumentID) -> DocumentBody {
        guard id != nil || (other.isLocal && attachments != nil) else { return self }
        var body = self
        body.id = nil
        if other.isLocal { body.attachments = nil }
        return body
    }
}

extension Answer {
    /// The answer to `batch=ok`. It has no revision, because CouchDB stores the document later.
    fileprivate static func accepted(_ id: DocumentID, location: String) -> Answer {
        .json(.accepted, headers: [.location: location]) { text in
            text.raw(#"{"ok":true,"id":"#)
            text.string(id.string)
            text.raw("}")
        }
    }

    /// `{"ok":true,"id":...,"rev":...}`.
    static func written(_ saved: SavedRevision, status: HTTPResponse.Status, location: String? = nil) -> Answer {
        let revision = saved.wireRevision
        var headers: HTTPFields = [.eTag: EntityTag(revision).header]
        if let location { headers[.location] = location }
        return .json(status, headers: headers) { text in
            text.raw(#"{"ok":true,"id":"#)
            text.string(saved.documentID.string)
            text.raw(#","rev":"#)
            text.string(revision)
            text.raw("}")
        }
    }
}

extension SavedRevision {
    /// The text of its ID in the protocol. That of a deleted local document is `0-0`, as in CouchDB: the next one is
    /// `0-1`.
    var wireRevision: String { !documentID.isLocal ? id.string : isDeleted ? "0-0" : id.localWireText }
}
