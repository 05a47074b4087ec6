internal import SetteeCouchProtocol
internal import SetteeDesignDocuments
internal import SetteeJavaScript
internal import StorageProtocol

/// Revisions of one document that were read, and the IDs of those that are to be read after them.
struct RevisionBatch: Sendable {
    enum Part: Sendable {
        case found(RevisionContent)
        /// There is no such revision, or its body is gone.
        case missing(RevisionID)
        /// It cannot be sent.
        case failed(RevisionID, CouchError)
    }

    var parts: [Part] = []
    var rest: [RevisionID] = []

    var isEmpty: Bool { parts.isEmpty && rest.isEmpty }
}

extension CouchError {
    /// The answer for anything that a handler throws.
    init(any error: any Error) {
        self =
            switch error {
            case let error as CouchError: error
            case let error as StorageError:
                (error.cause as? JavaScriptError).map { CouchError($0) } ?? CouchError(error)
            case let error as DesignError: CouchError(error)
            case let error as JavaScriptError: CouchError(error)
            default: .internalError
            }
    }
}
