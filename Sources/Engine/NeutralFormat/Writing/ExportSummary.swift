/// What an export holds.
public struct ExportSummary: Sendable, Equatable {
    /// Documents, tombstones included.
    public var documents = 0
    /// Revisions in all trees, also those known by ID alone.
    public var revisions = 0
    /// Local documents.
    public var localDocuments = 0
    /// Info values.
    public var infoValues = 0
    /// Contents of attachments; one that several attachments share counts once.
    public var blobs = 0
    /// SHA-256 of the whole content in lower-case hexadecimal digits: equal for equal content.
    public var digest = ""
}
