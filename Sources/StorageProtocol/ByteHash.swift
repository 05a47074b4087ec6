/// A hash of bytes that stays the same in all versions: what is stored depends on it.
package enum ByteHash {
    /// Eight bytes at a time, little-endian, the last ones filled with zeros.
    package static func of(_ bytes: RawSpan, seed: UInt64) -> UInt64 {
        let count = bytes.byteCount
        var hash = seed ^ UInt64(count) &* 0x9E37_79B9_7F4A_7C15
        var offset = 0
        while count - offset >= 8 {
            hash = step(
                hash,
                UInt64(littleEndian: unsafe bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self))
            )
            offset += 8
        }
        if offset < count {
            var last: UInt64 = 0
            for index in offset..<count {
                last |=
                    UInt64(unsafe bytes.unsafeLoad(fromByteOffset: index, as: UInt8.self))
                    << UInt64(8 * (index - offset))
            }
            hash = step(hash, last)
        }
        return finish(hash)
    }

    @inline(__always)
    private static func step(_ hash: UInt64, _ word: UInt64) -> UInt64 {
        let mixed = (hash ^ word) &* 0x9FB2_1C65_1E98_DF25
        return mixed ^ mixed >> 32
    }

    /// Lets every bit depend on every other one.
    private static func finish(_ hash: UInt64) -> UInt64 {
        var mixed = (hash ^ hash >> 33) &* 0xFF51_AFD7_ED55_8CCD
        mixed = (mixed ^ mixed >> 33) &* 0xC4CE_B9FE_1A85_EC53
        return mixed ^ mixed >> 33
    }
}
