public import StorageProtocol

extension CouchError {
    /// The answer for a failure of the engine.
    ///
    /// Failures of the store become 500 without details, which belong into the log. Messages of refusals are passed on:
    /// by the rule for `StorageError` they hold no document content.
    ///
    /// - Parameter subject: What the failed call was about.
    public init(_ failure: StorageError, about subject: ErrorSubject = .document) {
        self =
            switch failure.code {
            case .badRequest, .badParameter, .badAttachment: .badRequest(failure.message)
            case .badEncoding: .invalidJSON
            case .badJSON: .badRequest(failure.message)
            case .badID: subject == .database ? .illegalDatabaseName : .illegalDocumentID(failure.message)
            case .unauthorized: .unauthorized(failure.message)
            case .readOnly: .forbidden(failure.message)
            case .rejected: CouchError(rejection: failure)
            case .notFound: CouchError(missing: subject)
            case .deleted: .deleted
            case .conflict: .conflict
            case .exists, .superseded:
                subject == .database ? .databaseExists : CouchError(412, "precondition_failed", failure.message)
            case .attachmentNotFound: .missingStub(failure.message)
            case .tooLarge: .tooLarge
            case .inUse, .busy, .notOpen, .cancelled: .unavailable
            case .notImplemented: .notImplemented(failure.message)
            case .full: .insufficientStorage
            default: .internalError
            }
        // Paths and errors of the system are for the log. Validations say what they like.
        if failure.code != .rejected, reason.contains("'/") || reason.contains("(errno ") {
            reason =
                failure.code == .readOnly
                ? "The server cannot write this database." : "The server's log has the reason."
            cause = failure
        } else if self == .internalError {
            cause = failure
        }
    }

    private init(missing subject: ErrorSubject) {
        switch subject {
        case .document: self = .missing
        case .database: self = .noDatabase
        case .attachment: self = .noAttachment
        }
    }

    /// A validation's own status is passed on.
    private init(rejection failure: StorageError) {
        let status = 400..<600 ~= failure.status ? failure.status : 403
        let name = status == 401 ? "unauthorized" : status < 500 ? "forbidden" : "internal_server_error"
        self.init(status, name, failure.message)
    }
}
