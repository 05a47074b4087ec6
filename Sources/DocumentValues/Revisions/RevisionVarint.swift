/// Unsigned numbers in base 128, lowest group first, always in the fewest bytes. The top bit of a byte means that
/// another one follows.
enum RevisionVarint {
    /// Writes a number at `offset` of a buffer that is long enough, and moves past it.
    static func write(_ value: UInt64, to buffer: UnsafeMutableRawBufferPointer, _ offset: inout Int) {
        var rest = value
        while rest >= 0x80 {
            unsafe buffer[offset] = UInt8(truncatingIfNeeded: rest) | 0x80
            offset += 1
            rest >>= 7
        }
        unsafe buffer[offset] = UInt8(truncatingIfNeeded: rest)
        offset += 1
    }

    /// Reads the number at `offset` and moves past it. Returns nil if the bytes end early, exceed 64 bits, or are not
    /// the shortest form.
    static func read(_ bytes: RawSpan, _ offset: inout Int) -> UInt64? {
        var value: UInt64 = 0
        var shift: UInt64 = 0
        while offset < bytes.byteCount {
            let byte = unsafe bytes.unsafeLoad(fromByteOffset: offset, as: UInt8.self)
            offset += 1
            // The tenth byte holds the last bit.
            if shift == 63 && byte > 1 { return nil }
            value |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 { return byte == 0 && shift > 0 ? nil : value }
            shift += 7
        }
        return nil
    }
}
