/// One change of `RevisionWriter.apply`.
public enum RecordChange: Sendable {
    /// As `RevisionWriter.insert`.
    case insert(RecordDraft)
    /// As `RevisionWriter.update`.
    case update(RecordDraft)
    /// As `RevisionWriter.purge`.
    case purge(DocumentID, sequence: UInt64)
}

extension StorageError.Code {
    /// Whether it refuses a single change for what that change says, so that those behind it can be made all the same.
    public var isRefusalOfChange: Bool {
        switch self {
        case .exists, .notFound, .badParameter, .tooLarge: true
        default: false
        }
    }
}
