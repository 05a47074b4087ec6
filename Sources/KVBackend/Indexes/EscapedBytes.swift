internal import StorageProtocol

/// Byte strings inside a key, in a form that lets memcmp order whole keys by one string after the other, a prefix
/// first: `00` becomes `00 FF`, and `00 01` is the end.
enum EscapedBytes {
    private static let zero: UInt8 = 0xFF
    /// The last byte of the form.
    static let end: UInt8 = 0x01

    static func append(_ bytes: UnsafeRawBufferPointer, to key: inout KeyBuffer) {
        var start = 0
        while let place = unsafe indexOfZero(bytes, from: start) {
            unsafe key.append(UnsafeRawBufferPointer(rebasing: bytes[start...place]))
            key.append(zero)
            start = place &+ 1
        }
        unsafe key.append(UnsafeRawBufferPointer(rebasing: bytes[start...]))
        key.append(0)
        key.append(end)
    }

    /// How long the form of `bytes` is.
    static func length(of bytes: UnsafeRawBufferPointer) -> Int {
        unsafe bytes.count + bytes.count(where: { $0 == 0 }) + 2
    }

    /// Reads the form at `offset` and moves past it. Bytes without zeros are lent from where they are; others are put
    /// together in `spare`, which loses what it had.
    ///
    /// - Throws: `corrupt` (591) for anything else.
    static func read(
        _ key: UnsafeRawBufferPointer,
        _ offset: inout Int,
        _ spare: inout KeyBuffer
    ) throws(StorageError) -> UnsafeRawBufferPointer {
        var start = offset
        spare.removeAll()
        while let place = unsafe indexOfZero(key, from: offset), place &+ 1 < key.count {
            offset = place &+ 2
            let kind = unsafe key[place &+ 1]
            switch kind {
            case end:
                let last = unsafe UnsafeRawBufferPointer(rebasing: key[start..<place])
                if spare.count == 0 { return unsafe last }
                unsafe spare.append(last)
                return unsafe spare.bytes
            case zero:
                unsafe spare.append(UnsafeRawBufferPointer(rebasing: key[start...place]))
                start = offset
            default:
                throw .damagedRow
            }
        }
        throw .damagedRow
    }

    @inline(__always)
    private static func indexOfZero(_ bytes: UnsafeRawBufferPointer, from start: Int) -> Int? {
        var place = start
        while place < bytes.count {
            if unsafe bytes[place] == 0 { return place }
            place &+= 1
        }
        return nil
    }
}

extension StorageError {
    static var damagedRow: StorageError { .corrupt("A stored index row is damaged") }
}
