internal import SetteeDocumentValues
package import SetteeEngine
internal import SetteeJavaScript
internal import StorageProtocol

extension DesignDocuments {
    /// Returns a validation that runs the `validate_doc_update` functions of all design documents in JavaScript, in the
    /// order of their IDs, for what one user writes: see `Database.withValidation`. Nil: there are none.
    ///
    /// Design documents are not validated. What a function throws as `forbidden` or `unauthorized` refuses the write
    /// with 403 or 401 and the function's message; if it fails otherwise, it is refused with 500, and with 501 if
    /// JavaScript cannot run.
    ///
    /// - Parameters:
    ///   - user: the JSON object `{"db","name","roles"}`.
    ///   - security: the database's security object.
    ///   - verdicts: what has been found before the write; nil: the functions run inside of it.
    /// - Throws: `StorageError`.
    package func validation(
        user: [UInt8],
        security: [UInt8],
        _ verdicts: DesignVerdicts? = nil
    ) throws -> Validation? {
        let run = DesignValidation(
            functions: try catalog.documents().filter(\.isRunnable).compactMap { document in
                document.validation.map { source in
                    let scope = scope(of: document.name)
                    let modules = document.modules(of: source)
                    return (document.id, JavaScriptFunction(source, scope: scope, modules: modules))
                }
            },
            pool: pool,
            user: user,
            security: security,
            verdicts: verdicts
        )
        guard !run.functions.isEmpty else { return nil }
        return { revision, context in try run.validate(revision, context) }
    }
}
