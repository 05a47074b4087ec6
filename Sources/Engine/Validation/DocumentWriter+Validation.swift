package import SetteeDocumentValues
package import StorageProtocol

extension DocumentWriter {
    /// Runs the validation functions of the database and of the thread on a revision that is about to be stored.
    ///
    /// - Parameters:
    ///   - before: The current tree of the document; nil if it is new.
    ///   - history: The revision's own ID and its ancestors', newest first, if it is a foreign one.
    /// - Throws: The error with which a function rejects it.
    package func validate(
        _ incoming: IncomingRevision,
        before: RevisionTree?,
        history: [RevisionID] = []
    ) throws(StorageError) {
        let validations = session.database.validations
        let others = ThreadContext.current.validations(on: session.database)
        guard !validations.isEmpty || !others.isEmpty else { return }
        let parent = history.isEmpty ? incoming.parentID : nil
        let known = parent.flatMap { parent in before?.history(of: parent).map(\.id) } ?? history
        let revision = try ProposedRevision(incoming, history: known)
        let ancestors = history.isEmpty ? incoming.parentID.map { [$0] } ?? [] : Array(history.dropFirst())
        let context = ValidationContext(
            revision.properties,
            PreviousRevision(writer: self, documentID: incoming.documentID, before: before, ancestors: ancestors)
        )
        defer { context.end() }
        for (name, function) in validations.all + others.map({ (name: "of the thread", value: $0) }) {
            do throws(StorageError) {
                try judge(revision, context, by: name, function)
            } catch {
                Log.log(
                    .debug,
                    .validation,
                    "\(session.database.name): '\(name)' refused \(Log.tag(incoming.documentID)) (\(error.status))"
                )
                throw error
            }
        }
    }

    private func judge(
        _ revision: ProposedRevision,
        _ context: ValidationContext,
        by name: String,
        _ function: Validation
    ) throws(StorageError) {
        do {
            try ThreadContext.current.with(.closure("validation"), on: session.database) {
                try function(revision, context)
            }
        } catch let error as StorageError {
            throw error
        } catch {
            throw DocumentWriter.refusal(by: name, message: nil, status: 403, cause: error)
        }
        if let rejection = context.rejection {
            throw DocumentWriter.refusal(by: name, message: rejection.message, status: rejection.status)
        }
    }

    private static func refusal(
        by name: String,
        message: String?,
        status: Int,
        cause: (any Error)? = nil
    ) -> StorageError {
        Log.log(.info, .validation, "the validation '\(name)' refused a revision (\(status))")
        let reason = message.map { ": \($0)" } ?? ". Correct the document, or change the validation."
        return StorageError(
            .rejected(status: status),
            "The validation '\(name)' refused the revision\(reason)",
            cause: cause
        )
    }
}
