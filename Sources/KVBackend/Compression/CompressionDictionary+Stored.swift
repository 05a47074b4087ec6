internal import StorageProtocol

/// The stored form in the table: identity (16 bytes), CRC-32 of the dictionary (u32), both little-endian; the
/// dictionary.
extension CompressionDictionary {
    /// Bytes before the dictionary itself.
    private static let headLength = 20

    /// Reads what the table has under `version`.
    ///
    /// - Throws: `corrupt` (591).
    convenience init(version: UInt32, stored: UnsafeRawBufferPointer) throws(StorageError) {
        let identity = try unsafe Self.identity(version: version, stored: stored)
        let contents = unsafe UnsafeRawBufferPointer(rebasing: stored[Self.headLength...])
        let checksum = unsafe UInt32(littleEndian: stored.loadUnaligned(fromByteOffset: 16, as: UInt32.self))
        guard contents.count <= Self.maximumLength, unsafe Checksum.crc32(contents) == checksum else {
            throw .corrupt("Compression dictionary \(version) is damaged")
        }
        unsafe self.init(version: version, identity: identity, contents: contents)
    }

    /// Returns the identity of what the table has under `version`, without checking the rest.
    static func identity(version: UInt32, stored: UnsafeRawBufferPointer) throws(StorageError) -> Identity {
        guard stored.count > headLength else { throw .corrupt("Compression dictionary \(version) is damaged") }
        return unsafe Identity(
            low: UInt64(littleEndian: stored.loadUnaligned(as: UInt64.self)),
            high: UInt64(littleEndian: stored.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
        )
    }

    /// The length of what `writeStored` writes.
    var storedLength: Int { unsafe Self.headLength + contents.count }

    /// Writes the value for the table into `storedLength` bytes.
    func writeStored(to target: UnsafeMutableRawBufferPointer) {
        unsafe target.storeBytes(of: identity.low.littleEndian, as: UInt64.self)
        unsafe target.storeBytes(of: identity.high.littleEndian, toByteOffset: 8, as: UInt64.self)
        unsafe target.storeBytes(of: Checksum.crc32(contents).littleEndian, toByteOffset: 16, as: UInt32.self)
        unsafe UnsafeMutableRawBufferPointer(rebasing: target[Self.headLength...]).copyMemory(from: contents)
    }
}
