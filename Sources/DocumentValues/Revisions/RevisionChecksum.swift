package import StorageProtocol

/// Checksums to detect damage. They do not protect against deliberate changes to a file.
package enum RevisionChecksum {
    /// Returns the checksum of a revision's body, including the revision's ID and whether it is a tombstone.
    ///
    /// - Complexity: O(bytes of the body).
    package static func ofBody(_ body: RawSpan, id: RevisionID, isDeleted: Bool) -> UInt32 {
        let seed = id.withText { text in ByteHash.of(text, seed: isDeleted ? 1 : 0) }
        return UInt32(truncatingIfNeeded: ByteHash.of(body, seed: seed))
    }

    /// Returns the checksum of a tree's binary form.
    static func ofTree(_ bytes: RawSpan) -> UInt32 { UInt32(truncatingIfNeeded: ByteHash.of(bytes, seed: 0)) }
}
