internal import HTTPTypes
internal import SetteeCouchProtocol
internal import SetteeDesignDocuments
internal import SetteeDocumentValues
internal import SetteeEngine
internal import SetteeQueries
internal import StorageProtocol

/// What concerns design documents as a whole.
extension Exchange {
    /// GET of `_design/NAME/_info`.
    func designInfo(_ design: String, in served: ServedDatabase) async throws -> Answer {
        let info = try await blocking { try served.designs.info(of: design) }
        return .json { $0.value(.object(["name": .string(design), "view_index": .object(info)])) }
    }

    /// POST of `_temp_view`: a view with the functions of the body, which nobody else sees.
    func temporaryView(in served: ServedDatabase) async throws -> Answer {
        let members = try await jsonObject()
        let temporary = try await blocking { [threads = core.threads] in
            TemporaryView(try served.designs.temporaryView(members), of: served.designs, threads: threads)
        }
        // As in CouchDB 1, the keys are the only option in the body.
        let keys: JSONObject = members["keys"].map { ["keys": $0] } ?? [:]
        return try await rowsAnswer(keys, of: temporary.view, in: served, keeping: temporary)
    }

    /// POST of `_view_cleanup`: removes the indexes of views, and of queries, that are gone.
    func viewCleanup(_ served: ServedDatabase) async throws -> Answer {
        try ContentTypes.requireJSON(request.head.headerFields)
        try await core.builds.calls.run {
            try served.designs.cleanUp()
            try served.database.removeUnusedValueIndexes()
        }
        return .ok(.accepted)
    }
}
