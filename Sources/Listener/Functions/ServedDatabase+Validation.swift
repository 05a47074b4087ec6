internal import SetteeCouchProtocol
internal import SetteeDesignDocuments
internal import SetteeDocumentValues
internal import SetteeEngine
internal import StorageProtocol

/// Writes that are judged by `validate_doc_update` of the design documents.
extension ServedDatabase {
    /// Does a write of a user in the database's lane.
    ///
    /// - Parameter bytes: About how much it writes.
    /// - Throws: as `WriteLane.write`.
    func write(
        bytes: Int,
        by user: UserContext,
        _ write: @escaping @Sendable () throws -> SavedRevision
    ) async throws -> SavedRevision {
        let verdicts = DesignVerdicts()
        let validation = { @Sendable in try self.validation(of: user, verdicts) }
        return try await lane.write(bytes: bytes, validation: validation, verdicts: verdicts, write)
    }

    /// Returns what judges revisions that a user writes; nil if no design document has a function for it. Blocks.
    ///
    /// - Parameter verdicts: What has been found before a write of one revision.
    func validation(of user: UserContext, _ verdicts: DesignVerdicts? = nil) throws -> Validation? {
        try designs.validation(
            user: try userContext(of: user).canonicalBytes(),
            security: try security().document.canonicalBytes(),
            verdicts
        )
    }

    /// Returns what judges revisions that a replication brings for a user: design documents are checked, others
    /// validated. Blocks.
    func replicationValidation(of user: UserContext) throws -> Validation {
        let validation = try validation(of: user)
        return { [designs] revision, context in
            if revision.documentID.isDesign { try designs.check(revision) }
            try validation?(revision, context)
        }
    }

    /// Checks a document that is to be saved if it is a design document. Blocks.
    ///
    /// - Throws: `invalid_design_doc`, `compilation_error` (400).
    func check(_ body: DocumentBody, as id: DocumentID) throws {
        guard id.isDesign, let members = try JSONValue(parsing: body.canonical).objectValue else { return }
        do {
            try designs.check(members, as: String(id.string.dropFirst("_design/".count)))
        } catch let error as DesignError {
            throw CouchError(error)
        }
    }

    /// The user context of functions: `{"db","name","roles"}`.
    func userContext(of user: UserContext) -> JSONObject {
        var context = user.json
        context["db"] = .string(name)
        return context
    }
}

extension Database {
    /// Runs writes, of which each is judged by a validation of their own, if there is one.
    func perform<R>(judgedBy validation: Validation?, _ writes: () throws -> R) throws -> R {
        guard let validation else { return try writes() }
        return try withValidation(validation, perform: writes)
    }
}
