internal import SetteeDocumentValues
internal import SetteeEngine
internal import SetteeJavaScript
internal import StorageProtocol

/// The `validate_doc_update` functions of a database for the writes of one user.
struct DesignValidation: Sendable {
    let functions: [(design: String, function: JavaScriptFunction)]
    let pool: JavaScriptPool
    let user: [UInt8]
    let security: [UInt8]

    var verdicts: DesignVerdicts?

    /// - Throws: `rejected` with status 401, 403 or 500; `notImplemented` (501).
    func validate(_ revision: ProposedRevision, _ context: ValidationContext) throws(StorageError) {
        if revision.documentID.isDesign { return }
        let document = try DesignValidation.text(of: revision)
        let old = try DesignValidation.text(replacedBy: revision, context)
        if let verdicts {
            // Without what keeps the question.
            var functions = self
            functions.verdicts = nil
            try verdicts.validate(.init(document: document, old: old, functions: functions))
        } else {
            try run(document, old)
        }
    }

    /// Whether the same functions are run for the same user.
    func isSame(as other: DesignValidation) -> Bool {
        user == other.user && security == other.security && functions.count == other.functions.count
            && zip(functions, other.functions).allSatisfy { $0.function == $1.function }
    }

    /// Runs the functions.
    func run(_ document: [UInt8], _ old: [UInt8]?) throws(StorageError) {
        for (design, function) in functions {
            let outcome: JavaScriptValidation
            do throws(JavaScriptError) {
                // Others may wait for the end of this transaction.
                outcome = try pool.withWorker(isUrgent: true) { worker throws(JavaScriptError) in
                    try worker.validate(function, document: document, old: old, user: user, security: security)
                }
            } catch {
                throw DesignValidation.failure(error, of: design)
            }
            switch outcome {
            case .ok: break
            case .forbidden(let message): throw StorageError(.rejected(status: 403), message)
            case .unauthorized(let message): throw StorageError(.rejected(status: 401), message)
            }
        }
    }

    private static func failure(_ error: JavaScriptError, of design: String) -> StorageError {
        if case .unavailable(let reason) = error {
            return StorageError(
                .notImplemented,
                "The validate_doc_update function of \(design) cannot run, so that nothing is written. \(reason)"
            )
        }
        return StorageError(
            .rejected(status: 500),
            "The validate_doc_update function of \(design) failed. \(error.errorDescription ?? "")",
            cause: error
        )
    }

    /// The new revision as CouchDB gives it to the function: `_rev` and `_revisions` are those of the revision before,
    /// unless it was made elsewhere.
    private static func text(of revision: ProposedRevision) throws(StorageError) -> [UInt8] {
        var object = revision.properties
        object["_rev"] = revision.history.first.map { .string($0.string) }
        object["_revisions"] = [
            "start": .int(Int64(revision.history.first?.generation ?? 0)),
            "ids": .array(revision.history.map { .string($0.suffix) }),
        ]
        return try object.canonicalBytes()
    }

    /// The revision before. A tombstone is none, whether the document is made again here or elsewhere.
    private static func text(
        replacedBy revision: ProposedRevision,
        _ context: ValidationContext
    ) throws(StorageError) -> [UInt8]? {
        guard let old = try context.currentRevision, !old.isDeleted else { return nil }
        return try old.annotatedProperties.canonicalBytes()
    }
}
