internal import HTTPTypes
internal import SetteeCouchProtocol
internal import SetteeDocumentValues
internal import SetteeEngine
internal import SetteeQueries
internal import StorageProtocol

/// `_index`: value indexes in design documents whose language is "query", as CouchDB keeps them.
extension Exchange {
    func indexes(of served: ServedDatabase) async throws -> Answer {
        if method == .post { return try await createIndex(in: served) }
        let limit = try options.count("limit")
        let skip = try options.count("skip") ?? 0
        guard limit != 0 else {
            throw CouchError.mango("invalid_list_index_params", "Index parameter ranges: limit > 1, skip > 0")
        }
        let indexes =
            [DefinedIndex.allDocuments] + (try await blocking { try served.database.definedIndexes() }).map(\.json)
        return .json { text in
            text.raw(#"{"total_rows":"#)
            text.number(indexes.count)
            text.raw(#","indexes":"#)
            text.value(.array(Array(indexes.dropFirst(skip).prefix(limit ?? .max))))
            text.raw("}")
        }
    }

    private func createIndex(in served: ServedDatabase) async throws -> Answer {
        let wanted = try IndexRequest(try await jsonObject())
        let isNew = try await changeDesign(wanted.design, in: served) { body in
            var views = body["views"]?.objectValue ?? [:]
            guard views[wanted.name] != .object(wanted.view) else { return false }
            views[wanted.name] = .object(wanted.view)
            body["views"] = .object(views)
            return true
        }
        return .json { text in
            text.raw(#"{"result":"#)
            text.string(isNew ? "created" : "exists")
            text.raw(#","id":"#)
            text.string(wanted.design)
            text.raw(#","name":"#)
            text.string(wanted.name)
            text.raw("}")
        }
    }

    /// DELETE of `_index/DESIGN/json/NAME`.
    func removeIndex(
        _ name: String,
        of type: String,
        in design: String,
        of served: ServedDatabase
    ) async throws -> Answer {
        guard type == "json" else { throw CouchError.missing }
        let isRemoved = try await changeDesign(design, in: served) { body in
            guard body["views"]?.objectValue?[name] != nil else { return false }
            body["views"]?[name] = nil
            return true
        }
        guard isRemoved else { throw CouchError.missing }
        return .ok()
    }

    /// POST of `_index/_bulk_delete`: all indexes of design documents.
    func removeIndexes(in served: ServedDatabase) async throws -> Answer {
        var members = MangoMembers(try await jsonObject())
        let ids = try members.require("docids").arrayValue?.map(\.stringValue)
        _ = try members.integer("w", from: 1)
        try members.requireEnd()
        guard let ids, !ids.contains(nil) else {
            throw CouchError.mango("invalid_bulk_docs", "Bulk Delete requires an array of non-null docids.")
        }
        var (removed, failed): ([JSONValue], [JSONValue]) = ([], [])
        for id in ids.compactMap({ $0 }).map(IndexRequest.designID) {
            do {
                let isRemoved = try await changeDesign(id, in: served) { body in
                    guard body["views"]?.objectValue?.isEmpty == false else { return false }
                    body["views"] = nil
                    return true
                }
                guard isRemoved else { throw CouchError.missing }
                removed.append(["id": .string(id), "ok": true])
            } catch {
                failed.append(["id": .string(id), "error": .string(CouchError(any: error).error)])
            }
        }
        return .json { $0.value(["success": .array(removed), "fail": .array(failed)]) }
    }

    /// Reads a design document of indexes, which need not be there, and saves what `change` makes of it. One without
    /// indexes is deleted.
    ///
    /// - Parameter change: Returns false to leave the document as it is.
    /// - Returns: Whether it was changed.
    /// - Throws: `invalid_ddoc_lang` (400) for a document in another language, `error_saving_ddoc` (500) if others keep
    ///   changing it; what saving throws.
    private func changeDesign(
        _ name: String,
        in served: ServedDatabase,
        _ change: @Sendable (inout JSONObject) -> Bool
    ) async throws -> Bool {
        let id = try Exchange.documentID(name)
        for _ in 0..<8 {
            let found = try await blocking { try served.database[id].revision() }
            var body: JSONObject = ["language": .string(QueryDesign.language)]
            if let found, !found.isDeleted { body = try found.properties }
            guard body["language"]?.stringValue == QueryDesign.language else {
                throw CouchError.mango(
                    "invalid_ddoc_lang",
                    "Existing design doc has an invalid language. Choose another `ddoc`."
                )
            }
            guard change(&body) else { return false }
            if body["views"]?.objectValue?.isEmpty == true { body["views"] = nil }
            do {
                try await save(body, as: id, over: found, in: served)
                return true
            } catch let error where CouchError(any: error).status == 409 {
                continue
            }
        }
        throw CouchError(500, "error_saving_ddoc", "Encountered a conflict while saving the design document.")
    }

    private func save(
        _ properties: JSONObject,
        as id: DocumentID,
        over found: SavedRevision?,
        in served: ServedDatabase
    ) async throws {
        let parent = found.flatMap { $0.isDeleted ? nil : $0.id }
        if let parent, properties.count == 1 {
            _ = try await served.write(bytes: 100, by: access.user) { try served.database[id].delete(parent: parent) }
            return
        }
        let body = try DocumentBody(properties)
        try await blocking { try served.check(body, as: id) }
        _ = try await served.write(bytes: body.canonical.count, by: access.user) {
            try served.database.save(body, as: id, parent: parent)
        }
    }
}
