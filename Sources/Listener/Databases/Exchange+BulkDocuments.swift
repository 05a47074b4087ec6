internal import HTTPTypes
internal import SetteeCouchProtocol
internal import SetteeDocumentValues
internal import SetteeEngine
internal import StorageProtocol

/// `_bulk_docs`: many writes, with an outcome for each.
extension Exchange {
    func bulkDocuments(in served: ServedDatabase) async throws -> Answer {
        try ContentTypes.requireJSON(request.head.headerFields)
        let bytes = try await collectBody(upTo: core.options.bulkBytes)
        let request = try await blocking { try BulkDocuments(bytes) }
        for case .success(let body) in request.documents {
            if let id = body.id, id.hasPrefix("_design/") { try await requireWrite(of: id, in: served) }
        }
        guard try RequestOptions(query: [], body: request.options).flag("new_edits") ?? true else {
            let outcomes = try await blocking { try Exchange.insert(request.documents, in: served.database) }
            return .bulk(outcomes.filter { if case .failure = $0.outcome { true } else { false } })
        }
        // CouchDB's old option: all of them or none. Conflicts then become branches, which nobody wants.
        if try RequestOptions(query: [], body: request.options).flag("all_or_nothing") == true {
            throw CouchError(417, "not_implemented", "all_or_nothing is not supported.")
        }
        return .bulk(try await blocking { try Exchange.save(request.documents, in: served.database) })
    }

    /// What became of one of many documents.
    struct BulkOutcome: Sendable {
        var id: String?
        var revision: String?
        var outcome: Result<Void, CouchError>
    }

    /// So many documents are saved in one transaction.
    private static let batch = 500

    /// Saves new revisions. Blocks.
    private static func save(
        _ documents: [Result<DocumentBody, CouchError>],
        in database: Database
    ) throws -> [BulkOutcome] {
        var outcomes: [BulkOutcome] = []
        outcomes.reserveCapacity(documents.count)
        for start in stride(from: 0, to: documents.count, by: batch) {
            let some = documents[start..<min(start + batch, documents.count)]
            outcomes += try database.inTransaction { () throws in
                try some.map { try save($0, in: database) }
            }
        }
        return outcomes
    }

    private static func save(
        _ document: Result<DocumentBody, CouchError>,
        in database: Database
    ) throws -> BulkOutcome {
        let body: DocumentBody
        switch document {
        case .success(let parsed): body = parsed
        case .failure(let error): return BulkOutcome(outcome: .failure(error))
        }
        let text = body.id ?? Database.makeID()
        do {
            let id = try documentID(text)
            let saved = try database.put(id, body, parent: body.revision)
            let revision = id.isLocal ? saved.id.localWireText : saved.id.string
            return BulkOutcome(id: text, revision: revision, outcome: .success(()))
        } catch let error as CouchError {
            return BulkOutcome(id: text, outcome: .failure(error))
        } catch let error as StorageError where !error.code.isStorageFailure && error.code != .callback {
            return BulkOutcome(id: text, outcome: .failure(CouchError(error)))
        }
    }

    /// Adds revisions that were made elsewhere. Blocks.
    private static func insert(
        _ documents: [Result<DocumentBody, CouchError>],
        in database: Database
    ) throws -> [BulkOutcome] {
        var outcomes = documents.map { _ in BulkOutcome(outcome: .success(())) }
        var revisions: [ForeignRevision] = []
        var places: [Int] = []
        for (place, document) in documents.enumerated() {
            do {
                let body = try document.get()
                outcomes[place].id = body.id
                outcomes[place].revision = body.revision?.string
                guard let text = body.id else { throw CouchError.illegalDocumentID("The document has no `_id`.") }
                let id = try documentID(text)
                if id.isLocal {
                    _ = try database.put(id, body, parent: body.revision)
                    continue
                }
                revisions.append(try ForeignRevision(id, body))
                places.append(place)
            } catch let error as CouchError {
                outcomes[place].outcome = .failure(error)
            } catch let error as StorageError where !error.code.isStorageFailure {
                outcomes[place].outcome = .failure(CouchError(error))
            }
        }
        for (place, outcome) in zip(places, try database.forceInsert(revisions)) {
            if case .refused(let error) = outcome { outcomes[place].outcome = .failure(CouchError(error)) }
        }
        return outcomes
    }
}

extension Answer {
    fileprivate static func bulk(_ outcomes: [Exchange.BulkOutcome]) -> Answer {
        .json(.created) { text in
            text.raw("[")
            for (place, row) in outcomes.enumerated() {
                if place > 0 { text.raw(",") }
                text.raw("{")
                if let id = row.id {
                    text.raw(#""id":"#)
                    text.string(id)
                    text.raw(",")
                }
                if let revision = row.revision {
                    text.raw(#""rev":"#)
                    text.string(revision)
                    text.raw(",")
                }
                switch row.outcome {
                case .success: text.raw(#""ok":true}"#)
                case .failure(let error):
                    text.raw(#""error":"#)
                    text.string(error.error)
                    text.raw(#","reason":"#)
                    text.string(error.reason)
                    text.raw(#","status":"#)
                    text.number(error.status)
                    text.raw("}")
                }
            }
            text.raw("]")
        }
    }
}
