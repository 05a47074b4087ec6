/// How a database uses its space, in bytes. The figures of documents and indexes are those of their contents before
/// compression, so their sum may exceed `total`. What the engine adds to organise them (pages, trees, IDs) is in
/// `other`.
public struct SpaceReport: Sendable, Equatable {
    /// The bodies of the current revisions of documents, including tombstones.
    public var bodies: UInt64 = 0
    /// The bodies of superseded revisions. Compaction drops them.
    public var oldBodies: UInt64 = 0
    /// The bodies of revisions that lost a conflict. They are kept, even by compaction, until the conflict is resolved.
    public var conflicts: UInt64 = 0
    /// The contents of attachments that kept revisions refer to, each content once.
    public var attachments: UInt64 = 0
    /// The contents of attachments that nothing refers to any more. Compaction removes them.
    public var unusedAttachments: UInt64 = 0
    /// The bodies of local documents.
    public var localDocuments: UInt64 = 0
    /// The keys and values of the rows of all indexes.
    public var indexes: UInt64 = 0
    /// Free space inside the engine's files. Compaction gives it back.
    public var freePages: UInt64 = 0
    /// The rest of `total`: revision trees, IDs, the engine's own structures, logs, lock files. 0 in memory.
    public var other: UInt64 = 0
    /// The bytes that all files of the database occupy on disk; 0 in memory.
    public var total: UInt64 = 0
}
