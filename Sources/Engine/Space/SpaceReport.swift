/// Where a database's space goes, in bytes. The figures of documents and indexes are those of their contents, before
/// any compression, with which their sum may exceed `total`; what the engine adds to keep them in order (pages, trees,
/// IDs) is in `other`.
public struct SpaceReport: Sendable, Equatable {
    /// The bodies of the documents' current revisions, tombstones included.
    public var bodies: UInt64 = 0
    /// Bodies of revisions that others have followed. Compaction drops them.
    public var oldBodies: UInt64 = 0
    /// Bodies of revisions that lost a conflict: kept, compaction or not, until the conflict is resolved.
    public var conflicts: UInt64 = 0
    /// The contents of attachments that kept revisions refer to, each content once.
    public var attachments: UInt64 = 0
    /// The contents of attachments that nothing refers to any more. Compaction removes them.
    public var unusedAttachments: UInt64 = 0
    /// The bodies of local documents.
    public var localDocuments: UInt64 = 0
    /// The keys and values of all indexes' rows.
    public var indexes: UInt64 = 0
    /// Space inside the engine's files that holds nothing. Compaction gives it back.
    public var freePages: UInt64 = 0
    /// What is left of `total`: revision trees, IDs, the engine's own order, logs, lock files. 0 in memory.
    public var other: UInt64 = 0
    /// What all files of the database occupy on disk; 0 in memory.
    public var total: UInt64 = 0
}
