/// A change for `RevisionWriter.apply`.
public enum RecordChange: Sendable {
    /// See `RevisionWriter.insert`.
    case insert(RecordDraft)
    /// See `RevisionWriter.update`.
    case update(RecordDraft)
    /// See `RevisionWriter.purge`.
    case purge(DocumentID, sequence: UInt64)
}

extension StorageError.Code {
    /// Whether this code refuses a single change because of its content, so that the changes after it can still be
    /// made.
    public var isRefusalOfChange: Bool {
        switch self {
        case .exists, .notFound, .badParameter, .tooLarge: true
        default: false
        }
    }
}
