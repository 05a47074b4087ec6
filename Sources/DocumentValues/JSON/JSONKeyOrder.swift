internal import StorageProtocol

/// The order of names in canonical JSON: by UTF-16 code units, computed from UTF-8 bytes.
///
/// It is the order of the bytes, with one exception: characters from U+E000 to U+FFFF (lead bytes EE and EF) come after
/// those beyond U+FFFF (lead bytes F0 and up), whose first UTF-16 code unit is a surrogate, D800...DFFF.
enum JSONKeyOrder {
    /// Returns the weight of a byte at the position where two texts first differ.
    @inline(__always)
    static func weight(_ byte: UInt8) -> UInt8 {
        byte == 0xEE || byte == 0xEF ? byte &+ 0x10 : byte
    }

    /// Returns the first eight bytes of a key as one number, the first byte highest, missing ones zero. If two of these
    /// numbers differ, the keys have their order.
    @inline(__always)
    static func prefix(_ eight: UInt64, count: Int) -> UInt64 {
        let prefix = asciiPrefix(eight, count: count)
        return prefix & 0x8080_8080_8080_8080 == 0 ? prefix : weighted(prefix)
    }

    /// The same of a whole key.
    static func prefix(_ key: RawSpan) -> UInt64 {
        var eight: UInt64 = 0
        for i in (0..<min(8, key.byteCount)).reversed() {
            eight = eight &<< 8 | UInt64(unsafe key.unsafeLoad(fromByteOffset: i, as: UInt8.self))
        }
        return prefix(eight, count: key.byteCount)
    }

    /// The same of a key that is ASCII.
    @inline(__always)
    static func asciiPrefix(_ eight: UInt64, count: Int) -> UInt64 {
        let bytes = eight.byteSwapped
        return count >= 8 ? bytes : bytes & ~(UInt64.max &>> UInt64(truncatingIfNeeded: count &<< 3))
    }

    /// Replaces every byte by its weight. The weights of different bytes differ, since FE and FF are not in UTF-8.
    @inline(never)
    private static func weighted(_ prefix: UInt64) -> UInt64 {
        var result: UInt64 = 0
        for shift in stride(from: UInt64(0), to: 64, by: 8) {
            result |= UInt64(weight(UInt8(truncatingIfNeeded: prefix &>> shift))) &<< shift
        }
        return result
    }

    /// Compares two keys. Returns a negative number, zero or a positive number. A prefix comes first.
    static func compare(_ a: RawSpan, _ b: RawSpan) -> Int {
        let shared = min(a.byteCount, b.byteCount)
        var i = 0
        while i &+ 8 <= shared {
            let x = unsafe UInt64(littleEndian: a.unsafeLoadUnaligned(fromByteOffset: i, as: UInt64.self))
            let y = unsafe UInt64(littleEndian: b.unsafeLoadUnaligned(fromByteOffset: i, as: UInt64.self))
            if x != y { return prefix(x, count: 8) < prefix(y, count: 8) ? -1 : 1 }
            i &+= 8
        }
        while i < shared {
            let x = unsafe a.unsafeLoad(fromByteOffset: i, as: UInt8.self)
            let y = unsafe b.unsafeLoad(fromByteOffset: i, as: UInt8.self)
            if x != y { return weight(x) < weight(y) ? -1 : 1 }
            i &+= 1
        }
        return a.byteCount - b.byteCount
    }

    /// Compares two names.
    static func compare(_ a: String, _ b: String) -> Int {
        a.withUTF8Bytes { x in b.withUTF8Bytes { y in compare(x, y) } }
    }
}

extension String {
    /// Passes the text's UTF-8 bytes to `body`. They are only copied if they are not contiguous (bridged strings).
    @inline(__always)
    func withUTF8Bytes<R>(_ body: (RawSpan) -> R) -> R {
        let direct = unsafe utf8.withContiguousStorageIfAvailable { unsafe body(UnsafeRawBufferPointer($0).bytes) }
        if let direct { return direct }
        return unsafe Array(utf8).withUnsafeBytes { unsafe body($0.bytes) }
    }

    /// Whether two texts have the same bytes. `==` treats composed and decomposed forms as equal.
    @inline(__always)
    func hasSameBytes(as other: String) -> Bool {
        withUTF8Bytes { x in
            other.withUTF8Bytes { y in x.byteCount == y.byteCount && compareBytes(x, y) == 0 }
        }
    }
}
