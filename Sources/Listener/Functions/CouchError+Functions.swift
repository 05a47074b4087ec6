internal import SetteeCouchProtocol
internal import SetteeDesignDocuments
internal import SetteeJavaScript

/// Errors of functions of design documents, under the names that CouchDB has for them.
extension CouchError {
    /// 404: the design document has no such view.
    static var missingView: CouchError { CouchError(404, "not_found", "missing_named_view") }

    /// 404: nobody has set a filter of that name.
    static var noFilter: CouchError { CouchError(404, "not_found", "missing filter function") }

    init(_ failure: DesignError) {
        self =
            switch failure {
            case .missing(let reason): CouchError(404, "not_found", reason)
            case .invalid(let reason): CouchError(failure.status, "invalid_design_doc", reason)
            case .unsupportedLanguage, .unavailable: .notImplemented(failure.errorDescription ?? "")
            case .compilation: CouchError(failure.status, "compilation_error", failure.errorDescription ?? "")
            case .failed(let error): CouchError(error)
            }
    }

    init(_ failure: JavaScriptError) {
        let reason = failure.errorDescription ?? ""
        self =
            switch failure {
            case .unavailable: .notImplemented(reason)
            case .compilation: CouchError(failure.status, "compilation_error", reason)
            case .inputLimit: CouchError(failure.status, "too_large", reason)
            // CouchDB's name for an error that has none of its own.
            case .thrown: CouchError(failure.status, "unnamed_error", reason)
            case .fatal(let name, let reason): CouchError(failure.status, name, reason)
            case .timeLimit, .memoryLimit, .outputLimit, .crashed:
                CouchError(failure.status, "os_process_error", reason)
            }
    }
}
