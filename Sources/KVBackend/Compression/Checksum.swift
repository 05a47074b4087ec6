internal import CSetteeZlib

/// The CRC-32 of zlib.
enum Checksum {
    /// Returns the checksum of at most 4 GiB.
    static func crc32(_ bytes: UnsafeRawBufferPointer) -> UInt32 {
        guard let base = bytes.baseAddress else { return 0 }
        let start = unsafe base.assumingMemoryBound(to: UInt8.self)
        return unsafe UInt32(truncatingIfNeeded: CSetteeZlib.crc32(0, start, uInt(truncatingIfNeeded: bytes.count)))
    }
}
