/// The result of a compaction.
public struct CompactionResult: Sendable {
    /// The size of the engine's files before, in bytes, without attachments; 0 in memory.
    public var bytesBefore: UInt64
    /// The size after.
    public var bytesAfter: UInt64
    /// How many bodies of superseded revisions were dropped.
    public var bodiesRemoved: Int
    /// How many contents of attachments that nothing refers to were removed. Those that an older snapshot may still
    /// read stay on disk until a later compaction.
    public var blobsRemoved: Int
    /// Why the files were not rewritten: another process has the database open, or the storage type does not support
    /// it. Nil if they were, and in memory.
    public var rewritePrevented: String?

    init() {
        bytesBefore = 0
        bytesAfter = 0
        bodiesRemoved = 0
        blobsRemoved = 0
        rewritePrevented = nil
    }
}
