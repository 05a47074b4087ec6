/// The result of importing an export.
public struct ImportSummary: Sendable, Equatable {
    /// Documents that were stored or got revisions.
    public var documents = 0
    /// Documents that already had everything.
    public var unchanged = 0
    /// Documents that a validation function or a limit refused.
    public var failed = 0
    /// Local documents that were stored. Existing ones are left as they are.
    public var localDocuments = 0
    /// Whether the database was empty, so that everything is as it was: trees, info values and the order of sequences.
    public var isRestored = false
    /// The digest of the export.
    public var digest = ""
}
