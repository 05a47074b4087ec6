internal import StorageProtocol

/// Byte strings inside a key, encoded so that `memcmp` orders whole keys by one string after another, a prefix first:
/// `00` becomes `00 FF`, and `00 01` is the end.
enum EscapedBytes {
    private static let zero: UInt8 = 0xFF
    /// The last byte of the encoded form.
    static let end: UInt8 = 0x01

    static func append(_ bytes: UnsafeRawBufferPointer, to key: inout KeyBuffer) {
        unsafe key.append(atMost: 2 * bytes.count + 2) { target in
            var from = 0
            var to = 0
            while from < bytes.count {
                if let eight = unsafe eightWithoutZero(bytes, at: from) {
                    unsafe target.storeBytes(of: eight, toByteOffset: to, as: UInt64.self)
                    from &+= 8
                    to &+= 8
                    continue
                }
                let byte = unsafe bytes[from]
                unsafe target[to] = byte
                from &+= 1
                to &+= 1
                if byte == 0 {
                    unsafe target[to] = zero
                    to &+= 1
                }
            }
            unsafe target[to] = 0
            unsafe target[to &+ 1] = end
            return to &+ 2
        }
    }

    /// Returns the length of the encoded form of `bytes`.
    static func length(of bytes: UnsafeRawBufferPointer) -> Int {
        unsafe bytes.count + bytes.count(where: { $0 == 0 }) + 2
    }

    /// Reads the encoded form at `offset` and moves past it. Bytes without zeros are returned in place; others are
    /// assembled in `spare`, whose previous content is lost.
    ///
    /// - Throws: `corrupt` (591) for anything else.
    static func read(
        _ key: UnsafeRawBufferPointer,
        _ offset: inout Int,
        _ spare: inout KeyBuffer
    ) throws(StorageError) -> UnsafeRawBufferPointer {
        let start = offset
        var place = start
        while unsafe eightWithoutZero(key, at: place) != nil { place &+= 8 }
        while unsafe place < key.count && key[place] != 0 { place &+= 1 }
        guard place &+ 1 < key.count else { throw .damagedRow }
        if unsafe key[place &+ 1] == end {
            offset = place &+ 2
            return unsafe UnsafeRawBufferPointer(rebasing: key[start..<place])
        }
        spare.removeAll()
        unsafe spare.append(UnsafeRawBufferPointer(rebasing: key[start..<place]))
        var isWhole = false
        unsafe spare.append(atMost: key.count - place) { target in
            var to = 0
            while place < key.count {
                let byte = unsafe key[place]
                place &+= 1
                if byte == 0 {
                    guard place < key.count else { return to }
                    let kind = unsafe key[place]
                    place &+= 1
                    if kind != zero {
                        isWhole = kind == end
                        return to
                    }
                }
                unsafe target[to] = byte
                to &+= 1
            }
            return to
        }
        guard isWhole else { throw .damagedRow }
        offset = place
        return unsafe spare.bytes
    }

    /// Returns the eight bytes from `place`, or nil if there are fewer or one of them is zero.
    @inline(__always)
    private static func eightWithoutZero(_ bytes: UnsafeRawBufferPointer, at place: Int) -> UInt64? {
        guard place &+ 8 <= bytes.count else { return nil }
        let eight = unsafe bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self)
        let zeros = (eight &- 0x0101_0101_0101_0101) & ~eight & 0x8080_8080_8080_8080
        return zeros == 0 ? eight : nil
    }
}

extension StorageError {
    static var damagedRow: StorageError { .corrupt("A stored index row is damaged") }
}
