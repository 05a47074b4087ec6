internal import HTTPTypes
internal import SetteeCouchProtocol
internal import SetteeDesignDocuments
internal import SetteeDocumentValues
internal import SetteeEngine
internal import StorageProtocol

/// A database as a whole.
extension Exchange {
    func databaseRoot(_ name: String) async throws -> Answer {
        switch method {
        case .put:
            try await blocking { [core] in try core.databases.create(name) }
            return .ok(.created, headers: [.location: location(name)])
        case .delete:
            // A client that meant a document and lost its ID would delete everything.
            guard try options.text("rev") == nil else {
                throw CouchError.badRequest(
                    "You tried to DELETE a database with a ?rev= parameter. Did you mean to "
                        + "DELETE a document instead?"
                )
            }
            try await blocking { [core] in try core.databases.delete(name) }
            return .ok()
        case .post: return try await postDocument(in: database(name))
        default:
            let served = try await database(name)
            let text = try await blocking { [core] in try Exchange.information(served, core.tasks) }
            return .json(.ok, text.bytes + [UInt8(ascii: "\n")])
        }
    }

    /// The URL of a path under this server, as the client reached it.
    func location(_ segments: String...) -> String {
        let path = RequestTarget(segments: segments.map { TargetText($0) }).text
        guard let host = request.head.authority, !host.isEmpty else { return path }
        return (request.isSecure ? "https://" : "http://") + host + path
    }

    func databaseResource(_ resource: Route.DatabaseResource, of served: ServedDatabase) async throws -> Answer {
        switch resource {
        case .allDocuments, .designDocuments, .localDocuments: return try await listing(resource, of: served)
        case .bulkDocuments: return try await bulkDocuments(in: served)
        case .bulkGet: return try await bulkGet(from: served)
        case .changes: return try await changes(of: served)
        case .revisionsDiff, .missingRevisions: return try await revisionsDiff(resource, of: served)
        case .ensureFullCommit: return ensureFullCommit(served)
        case .compact: return try await compact(served)
        case .viewCleanup: return try await viewCleanup(served)
        case .purge: return try await purge(in: served)
        case .revisionsLimit: return try await revisionsLimit(of: served)
        case .security: return try await security(of: served)
        case .temporaryView: return try await temporaryView(in: served)
        case .find: return try await find(in: served)
        case .explain: return try await explain(in: served)
        case .indexes: return try await indexes(of: served)
        case .removedIndexes: return try await removeIndexes(in: served)
        }
    }

    /// What GET of a database answers. Blocks.
    static func information(_ served: ServedDatabase, _ tasks: ActiveTasks) throws -> JSONAnswerText {
        let figures = try served.database.statistics()
        var text = JSONAnswerText()
        text.raw(#"{"db_name":"#)
        text.string(served.name)
        text.raw(#","db_uuid":"#)
        text.string(served.uuid)
        text.raw(#","doc_count":"#)
        text.number(figures.documentCount)
        text.raw(#","doc_del_count":"#)
        text.number(try served.database.deletedDocumentCount)
        text.raw(#","update_seq":"#)
        text.number(figures.lastSequence)
        text.raw(#","committed_update_seq":"#)
        text.number(figures.lastSequence)
        text.raw(#","purge_seq":0,"compact_running":"#)
        text.flag(tasks.all.contains { $0.entry.kind == ActiveTasks.compaction && $0.entry.database == served.name })
        text.raw(#","sizes":{"file":"#)
        text.number(figures.bytesOnDisk)
        text.raw(#","active":"#)
        text.number(figures.bytesOnDisk - min(figures.freeBytes, figures.bytesOnDisk))
        text.raw(#","external":"#)
        text.number(figures.bytesOnDisk - min(figures.freeBytes, figures.bytesOnDisk))
        text.raw(#"},"disk_size":"#)
        text.number(figures.bytesOnDisk)
        text.raw(#","disk_format_version":1,"revs_limit":"#)
        text.number(try served.database.maxRevTreeDepth)
        text.raw(#","instance_start_time":"#)
        text.string(served.startTime)
        text.raw("}")
        return text
    }

    private func ensureFullCommit(_ served: ServedDatabase) -> Answer {
        .json(.created) { text in
            text.raw(#"{"ok":true,"instance_start_time":"#)
            text.string(served.startTime)
            text.raw("}")
        }
    }

    /// Begins a compaction, and answers before it ends. One of the views of a design document is one of the database,
    /// which holds their indexes.
    private func compact(_ served: ServedDatabase) async throws -> Answer {
        try ContentTypes.requireJSON(request.head.headerFields)
        if target.segments.count == 3 {
            let design = target.segments[2].string
            _ = try await blocking { try served.designs.info(of: design) }
        }
        let (core, route) = (core, route)
        let task = core.tasks.begin(ActiveTasks.compaction, on: served.name)
        Task {
            do {
                _ = try await core.threads.run { try served.database.compact() }
            } catch {
                core.log(error, of: route)
            }
            core.tasks.end(task)
        }
        return .ok(.accepted)
    }

    private func revisionsLimit(of served: ServedDatabase) async throws -> Answer {
        guard method == .put else {
            let depth = try await blocking { try served.database.maxRevTreeDepth }
            return .json { $0.number(depth) }
        }
        let bytes = try await collectBody(upTo: 100)
        guard let limit = (try? JSONValue(parsing: bytes))?.intValue, limit > 0, let depth = Int(exactly: limit) else {
            throw CouchError.badRequest("`revs_limit` must be a positive number.")
        }
        try await blocking { try served.database.setMaxRevTreeDepth(depth) }
        return .ok()
    }

    /// The object is kept with the database, and copied with it.
    private func security(of served: ServedDatabase) async throws -> Answer {
        if method == .put {
            let security = try DatabaseSecurity(parsing: try await collectBody(upTo: 1 << 20))
            try await blocking { try served.setSecurity(security) }
            return .ok()
        }
        let security = try await blocking { try served.security() }
        return .json { $0.value(.object(security.document)) }
    }

    private func purge(in served: ServedDatabase) async throws -> Answer {
        let wanted = try await jsonObject()
        var purges: [(DocumentID, Set<RevisionID>)] = []
        for (id, value) in wanted {
            guard let texts = value.arrayValue else { throw CouchError.badRequest("Revisions must be in an array.") }
            var revisions: Set<RevisionID> = []
            for text in texts {
                guard let text = text.stringValue else { throw CouchError.invalidRevision }
                revisions.insert(try RevisionID(wire: text))
            }
            purges.append((try Exchange.documentID(id), revisions))
        }
        let done = try await blocking { [purges] in
            try purges.map { (id, revisions) in (id, try Exchange.purge(id, revisions, in: served.database)) }
        }
        return .json(.created) { text in
            text.raw(#"{"purge_seq":null,"purged":{"#)
            for (place, (id, revisions)) in done.enumerated() {
                if place > 0 { text.raw(",") }
                text.string(id.string)
                text.raw(":[")
                for (place, revision) in revisions.enumerated() {
                    if place > 0 { text.raw(",") }
                    text.string(revision.string)
                }
                text.raw("]")
            }
            text.raw("}}")
        }
    }

    /// Purges a document if all its leaves are named; other branches cannot be purged alone.
    private static func purge(
        _ id: DocumentID,
        _ revisions: Set<RevisionID>,
        in database: Database
    ) throws -> [RevisionID] {
        try database.inTransaction {
            let leaves = try database[id].leafRevisions().map(\.id)
            guard !leaves.isEmpty, leaves.allSatisfy(revisions.contains) else { return [] }
            return try database[id].purge() ? leaves : []
        }
    }
}
