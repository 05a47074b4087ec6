public import StorageProtocol

/// Computes revision IDs: the same change made on two devices gives the same ID.
///
/// The suffix is the MD5 of these bytes: one byte with the length of the parent's ID, and the text of that ID (nothing
/// at all without a parent); one byte that is 1 for a tombstone and else 0; and the canonical JSON of the body.
/// Couchbase Lite 1.1 to 1.4 on iOS computes it in the same way.
public enum RevisionDigest {
    /// Returns the ID of a revision on top of `parent`. `body` must be canonical JSON.
    ///
    /// - Throws: `badRequest` (400) if the generation of the parent is the highest possible one.
    /// - Complexity: O(bytes of the body).
    public static func revisionID(
        body: RawSpan,
        parent: RevisionID?,
        isDeleted: Bool
    ) throws(StorageError) -> RevisionID {
        var hasher = MD5()
        var generation: UInt64 = 1
        if let parent {
            guard parent.generation < RevisionID.maximumGeneration else {
                throw StorageError(.badRequest, "The parent revision has the highest generation there can be.")
            }
            generation = parent.generation + 1
            parent.withText { text in
                unsafe text.withUnsafeBytes { bytes in
                    // Revision IDs have at most 255 bytes.
                    unsafe withUnsafeBytes(of: UInt8(bytes.count)) { unsafe hasher.update($0) }
                    unsafe hasher.update(bytes)
                }
            }
        }
        unsafe withUnsafeBytes(of: UInt8(isDeleted ? 1 : 0)) { unsafe hasher.update($0) }
        unsafe body.withUnsafeBytes { unsafe hasher.update($0) }
        return try RevisionID(generation: generation, digest: hasher.finalize())
    }
}
