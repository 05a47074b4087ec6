internal import Settee
internal import SetteeCouchProtocol
internal import SetteeDocumentValues
internal import SetteeEngine
internal import StorageProtocol

@testable internal import SetteeListener

/// Does what a client asks for by calls of a database, and says what the listener is to answer.
struct RequestModel {
    /// An answer as far as it does not depend on how the database is named.
    struct Answer: Equatable {
        var status: Int
        /// Nil: it is not compared, as in answers about errors.
        var json: JSONValue?
        var bytes: [UInt8]?
    }

    let database: Database

    func answer(_ request: ClientRequest) throws -> Answer {
        do {
            return try done(request)
        } catch let error as StorageError where error.code == .conflict {
            return Answer(status: 409)
        }
    }

    private func done(_ request: ClientRequest) throws -> Answer {
        switch request {
        case .save(let id, let properties, let parent):
            return Answer(status: 201, json: written(try database[id].put(properties, parent: parent)))
        case .remove(let id, let revision):
            guard let found = try database[id].revision(), !found.isDeleted else { return Answer(status: 404) }
            return Answer(status: 200, json: written(try database[id].delete(parent: revision)))
        case .read(let id):
            guard let found = try database[id].revision(), !found.isDeleted else { return Answer(status: 404) }
            return Answer(status: 200, json: try RequestModel.document(found))
        case .readRevision(let id, let revision):
            guard let found = try database[id].revision(revision) else { return Answer(status: 404) }
            return Answer(status: 200, json: try RequestModel.withHistory(found))
        case .readBranches(let id):
            let leaves = try database[id].leafRevisions()
            guard !leaves.isEmpty else { return Answer(status: 404) }
            return Answer(status: 200, json: .array(try leaves.map { ["ok": try RequestModel.document($0)] }))
        case .saveMany(let writes):
            let rows = try writes.map { write -> JSONValue in
                do {
                    return written(try database[write.id].put(write.properties, parent: write.parent))
                } catch let error as StorageError where error.code == .conflict {
                    return RequestModel.refused(write.id)
                }
            }
            return Answer(status: 201, json: .array(rows))
        case .insertMany(let insertions):
            for insertion in insertions {
                let revision = try ForeignRevision(
                    insertion.id,
                    insertion.properties,
                    history: insertion.history,
                    isDeleted: insertion.properties["_deleted"] == true
                )
                _ = try database.forceInsert([revision])
            }
            return Answer(status: 201, json: .array([]))
        case .ask(let id, let revisions):
            let document = try DocumentID(id)
            guard let answer = try database.missingRevisions([document: revisions])[document] else {
                return Answer(status: 200, json: [:])
            }
            var found: JSONObject = ["missing": RequestModel.list(answer.missing)]
            if !answer.possibleAncestors.isEmpty {
                found["possible_ancestors"] = RequestModel.list(Array(answer.possibleAncestors.prefix(20)))
            }
            return Answer(status: 200, json: [id: .object(found)])
        case .list(let descending, let start, let limit):
            var query = database.allDocumentsQuery(descending: descending, limit: limit, includeDocs: true)
            query.startKey = start.map { .string($0) }
            var rows: [JSONValue] = []
            for row in try query.run() {
                guard let id = row.documentID?.string, let revision = row.documentRevisionID?.string else { continue }
                let document = try database[id].revision().map { try RequestModel.document($0) }
                rows.append(
                    [
                        "id": .string(id), "key": .string(id), "value": ["rev": .string(revision)],
                        "doc": document ?? nil,
                    ]
                )
            }
            return Answer(status: 200, json: .array(rows))
        case .changes(let sequence, let limit):
            let rows = try database.changes(since: sequence, limit: limit, includeLeaves: true).rows()
            return Answer(status: 200, json: .array(rows.map { RequestModel.change($0) }))
        case .attach(let id, let name, let content, let parent):
            return try attach(content, name, to: database[id], parent)
        case .readAttachment(let id, let name):
            guard let found = try database[id].revision(), !found.isDeleted,
                let attachment = try found.attachment(named: name)
            else { return Answer(status: 404) }
            return Answer(status: 200, bytes: try attachment.content())
        case .saveLocal(let name, let properties, let parent):
            let id = "_local/" + name
            try database.keepReplicatedHistories()
            let saved = try database[id].put(properties, parent: try parent.map { try RevisionID(wire: $0) })
            return Answer(
                status: 201,
                json: ["ok": true, "id": .string(id), "rev": .string(saved.id.localWireText)]
            )
        case .readLocal(let name):
            guard let found = try database["_local/" + name].revision() else { return Answer(status: 404) }
            var document = try RequestModel.object(found)
            document["_rev"] = .string(found.id.localWireText)
            return Answer(status: 200, json: .object(document))
        }
    }

    private func attach(
        _ content: [UInt8],
        _ name: String,
        to document: Document,
        _ parent: RevisionID?
    ) throws -> Answer {
        let revision = try parent.map { try document.revision($0) } ?? document.revision()
        // Whoever names no revision makes a document; whoever names one must know it.
        guard parent == nil ? revision?.isDeleted ?? true : revision != nil else { return Answer(status: 409) }
        var entries =
            try revision.flatMap { $0.isDeleted ? nil : try $0.properties["_attachments"]?.objectValue } ?? [:]
        var properties = parent == nil ? JSONObject() : try revision?.properties ?? JSONObject()
        let staged = try document.database.stageAttachment(.bytes(content))
        entries[name] = ["follows": true, "digest": .string(staged.digest), "content_type": "text/plain"]
        properties["_attachments"] = .object(entries)
        properties["_deleted"] = nil
        let saved = try withExtendedLifetime(staged) { try document.put(properties, parent: parent) }
        return Answer(status: 201, json: written(saved))
    }
}

extension RequestModel {
    private func written(_ revision: SavedRevision) -> JSONValue {
        ["ok": true, "id": .string(revision.documentID.string), "rev": .string(revision.id.string)]
    }

    private static func refused(_ id: String) -> JSONValue {
        ["id": .string(id), "error": "conflict", "reason": "Document update conflict.", "status": 409]
    }

    private static func document(_ revision: SavedRevision) throws -> JSONValue { .object(try object(revision)) }

    /// The body with the members that CouchDB adds.
    private static func object(_ revision: SavedRevision) throws -> JSONObject {
        var document = try revision.properties
        document["_id"] = .string(revision.documentID.string)
        document["_rev"] = .string(revision.id.string)
        if revision.isDeleted { document["_deleted"] = true }
        return document
    }

    private static func withHistory(_ revision: SavedRevision) throws -> JSONValue {
        var document = try object(revision)
        let ids = try revision.history().map(\.id)
        document["_revisions"] = [
            "start": JSONValue(revision.id.generation),
            "ids": .array(ids.map { .string(String($0.string.drop { $0 != "-" }.dropFirst())) }),
        ]
        return .object(document)
    }

    private static func list(_ revisions: [RevisionID]) -> JSONValue { .array(revisions.map { .string($0.string) }) }

    private static func change(_ row: DocumentRow) -> JSONValue {
        var change: JSONObject = [
            "seq": JSONValue(row.sequence), "id": .string(row.documentID.string),
            "changes": .array((row.leaves ?? []).map { ["rev": .string($0.id.string)] }),
        ]
        if row.isDeleted { change["deleted"] = true }
        return .object(change)
    }
}
