#if Sync
internal import Settee
internal import SetteeReplicator

extension StorageError {
    /// The error as this program reports it.
    init(_ error: ReplicationError, _ what: String = "") {
        let code: Code =
            switch error.code {
            case .transient: .busy
            case .unauthorized, .untrusted: .unauthorized
            case .forbidden, .allRefused: .rejected
            case .notFound: .notFound
            case .conflict, .conflictPersists: .conflict
            case .missingAttachment: .attachmentNotFound
            case .tooLarge: .tooLarge
            case .readOnly: .readOnly
            case .badDocument: .badJSON
            case .badConfiguration: .badParameter
            case .callback: .callback
            case .badAnswer: .unexpected
            }
        self.init(code, what + error.message, cause: error)
    }
}
#endif
