/// What a compaction did.
public struct CompactionResult: Sendable {
    /// Bytes of the engine's files before, attachments not counted; 0 in memory.
    public var bytesBefore: UInt64
    /// The same after.
    public var bytesAfter: UInt64
    /// How many bodies of superseded revisions were dropped.
    public var bodiesRemoved: Int
    /// How many attachments' contents that nothing refers to were removed. Those that an older snapshot may still read
    /// stay on disk until a later compaction.
    public var blobsRemoved: Int
    /// Why the files were not rewritten (another process has the database open, or the storage type has no such thing),
    /// nil where they were, and in memory.
    public var rewritePrevented: String?

    init() {
        bytesBefore = 0
        bytesAfter = 0
        bodiesRemoved = 0
        blobsRemoved = 0
        rewritePrevented = nil
    }
}
