/// The counts of an export.
public struct ExportSummary: Sendable, Equatable {
    /// Documents, including tombstones.
    public var documents = 0
    /// Revisions in all trees, including those of which only the ID is known.
    public var revisions = 0
    /// Local documents.
    public var localDocuments = 0
    /// Info values.
    public var infoValues = 0
    /// Contents of attachments. One that several attachments share counts once.
    public var blobs = 0
    /// The SHA-256 of the whole content in lower-case hexadecimal digits: equal for equal content.
    public var digest = ""
}
