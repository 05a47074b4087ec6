package import StorageProtocol

extension RevisionTree {
    /// Decodes the tree of a record: the binary form followed by its checksum.
    ///
    /// - Throws: `corrupt` (591) if the checksum does not match the bytes, and as `init(decoding:)`.
    /// - Complexity: O(bytes), in time and memory.
    package init(stored bytes: RawSpan) throws(StorageError) {
        let length = bytes.byteCount - 4
        guard length >= 0 else { throw .corrupt("A stored revision tree is damaged") }
        let tree = bytes.extracting(0..<length)
        let checksum = UInt32(
            bigEndian: unsafe bytes.unsafeLoadUnaligned(fromByteOffset: length, as: UInt32.self)
        )
        guard checksum == RevisionChecksum.ofTree(tree) else { throw .corrupt("A stored revision tree is damaged") }
        try self.init(decoding: tree)
    }

    /// The bytes of the tree in a record.
    package var storedBytes: [UInt8] {
        var bytes: [UInt8] = []
        encode(into: &bytes)
        let checksum = unsafe RevisionChecksum.ofTree(bytes.span.bytes)
        for shift in [24, 16, 8, 0] as [UInt32] { bytes.append(UInt8(truncatingIfNeeded: checksum >> shift)) }
        return bytes
    }
}
