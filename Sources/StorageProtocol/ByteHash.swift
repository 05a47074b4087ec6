/// A hash of bytes. It must never change, because stored data depends on it.
public enum ByteHash {
    /// Hashes eight bytes at a time, little-endian, the last ones padded with zeros.
    public static func of(_ bytes: RawSpan, seed: UInt64) -> UInt64 {
        unsafe bytes.withUnsafeBytes { buffer in
            let count = buffer.count
            var hash = seed ^ UInt64(truncatingIfNeeded: count) &* 0x9E37_79B9_7F4A_7C15
            guard var place = buffer.baseAddress else { return finish(hash) }
            // Pointers take half as many instructions as offsets into a span, and each body is hashed.
            let end = unsafe place + (count & ~7)
            while unsafe place < end {
                hash = step(hash, UInt64(littleEndian: unsafe place.loadUnaligned(as: UInt64.self)))
                unsafe place += 8
            }
            if count & 7 != 0, count > 8 {
                // The last eight bytes, without those already hashed.
                let word = UInt64(littleEndian: unsafe (place + (count & 7 - 8)).loadUnaligned(as: UInt64.self))
                hash = step(hash, word &>> UInt64(truncatingIfNeeded: 8 &* (8 &- count & 7)))
            } else if count & 7 != 0 {
                var last: UInt64 = 0
                for offset in 0..<count & 7 {
                    let byte = unsafe place.load(fromByteOffset: offset, as: UInt8.self)
                    last |= UInt64(byte) &<< UInt64(truncatingIfNeeded: 8 &* offset)
                }
                hash = step(hash, last)
            }
            return finish(hash)
        }
    }

    @inline(__always)
    private static func step(_ hash: UInt64, _ word: UInt64) -> UInt64 {
        let mixed = (hash ^ word) &* 0x9FB2_1C65_1E98_DF25
        return mixed ^ mixed >> 32
    }

    /// Makes every bit depend on every other one.
    private static func finish(_ hash: UInt64) -> UInt64 {
        var mixed = (hash ^ hash >> 33) &* 0xFF51_AFD7_ED55_8CCD
        mixed = (mixed ^ mixed >> 33) &* 0xC4CE_B9FE_1A85_EC53
        return mixed ^ mixed >> 33
    }
}
