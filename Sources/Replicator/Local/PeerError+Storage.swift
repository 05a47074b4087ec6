internal import SetteeCouchProtocol
internal import StorageProtocol

extension PeerError {
    /// A failure of a database here, with the status that the listener would answer.
    init(_ error: StorageError) {
        let answer = CouchError(error)
        let kind: Kind =
            switch error.code {
            // 501: the engine cannot hold something of this document, attachments for instance; others it can.
            case .badRequest, .badParameter, .badAttachment, .badEncoding, .badJSON, .badID, .notImplemented,
                .exists, .superseded:
                .badDocument
            case .rejected: .forbidden
            case .unauthorized: .unauthorized
            case .readOnly: .readOnly
            // A database that is closed does not open again by itself.
            case .notFound, .deleted, .notOpen: .notFound
            case .conflict: .conflict
            case .attachmentNotFound: .missingAttachment
            case .tooLarge: .tooLarge
            case .corrupt, .callback: .badAnswer
            default: .transient
            }
        // Messages of other kinds may tell more than the log may have.
        let reason =
            error.code == .full ? "The disk of this computer is full. Free space, and try again." : answer.reason
        self.init(kind, status: answer.status, reason)
        isLocal = true
    }
}
