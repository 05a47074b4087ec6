internal import StorageProtocol

/// Unsigned numbers in base 128, lowest group first, always in the fewest bytes. The top bit of a byte means that
/// another one follows.
@usableFromInline
package enum Varint {
    /// Returns the length of a number in bytes: 1 to 10.
    @inlinable
    @inline(__always)
    package static func length(_ value: UInt64) -> Int {
        // 64 - leading zeros, and at least 1 bit, in groups of 7.
        (70 - (value | 1).leadingZeroBitCount) / 7
    }

    /// Writes a number at `offset` of a buffer that is long enough, and moves past it.
    @inlinable
    @inline(__always)
    package static func write(_ value: UInt64, to buffer: UnsafeMutableRawBufferPointer, _ offset: inout Int) {
        var rest = value
        while rest >= 0x80 {
            unsafe buffer[offset] = UInt8(truncatingIfNeeded: rest) | 0x80
            offset &+= 1
            rest >>= 7
        }
        unsafe buffer[offset] = UInt8(truncatingIfNeeded: rest)
        offset &+= 1
    }

    /// Reads the number at `offset`, which must not be negative, and moves past it. Returns nil if the bytes end early,
    /// exceed 64 bits, or are not the shortest form.
    @inlinable
    @inline(__always)
    package static func read(_ bytes: UnsafeRawBufferPointer, _ offset: inout Int) -> UInt64? {
        guard offset < bytes.count else { return nil }
        let first = unsafe bytes[offset]
        if first < 0x80 {
            offset &+= 1
            return UInt64(first)
        }
        return unsafe readLong(bytes, &offset)
    }

    @usableFromInline
    static func readLong(_ bytes: UnsafeRawBufferPointer, _ offset: inout Int) -> UInt64? {
        var value: UInt64 = 0
        var shift: UInt64 = 0
        while offset < bytes.count {
            let byte = unsafe bytes[offset]
            offset &+= 1
            // The tenth byte holds the last bit.
            if shift == 63 && byte > 1 { return nil }
            value |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 { return byte == 0 ? nil : value }
            shift &+= 7
        }
        return nil
    }

    /// Writes bytes behind their length.
    @inlinable
    @inline(__always)
    package static func write(
        _ bytes: UnsafeRawBufferPointer,
        to buffer: UnsafeMutableRawBufferPointer,
        _ offset: inout Int
    ) {
        unsafe write(UInt64(bytes.count), to: buffer, &offset)
        unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[offset..<offset + bytes.count]).copyMemory(from: bytes)
        offset &+= bytes.count
    }

    /// Reads a length at `offset`, and returns the range of this many bytes after it. Nil if there are not enough.
    @inlinable
    @inline(__always)
    package static func readRange(_ bytes: UnsafeRawBufferPointer, _ offset: inout Int) -> Range<Int>? {
        guard let length = unsafe read(bytes, &offset), length <= UInt64(bytes.count &- offset) else { return nil }
        let start = offset
        offset = start &+ Int(truncatingIfNeeded: length)
        return start..<offset
    }

    /// The same, with the bytes themselves.
    @inlinable
    @inline(__always)
    package static func readBytes(
        _ bytes: UnsafeRawBufferPointer,
        _ offset: inout Int
    ) -> UnsafeRawBufferPointer? {
        guard let range = unsafe readRange(bytes, &offset) else { return nil }
        return unsafe UnsafeRawBufferPointer(rebasing: bytes[range])
    }
}
