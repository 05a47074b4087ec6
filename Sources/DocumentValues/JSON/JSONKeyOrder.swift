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

    /// Compares the first eight bytes of two keys (the first byte highest, missing ones zero). Zero if the prefixes do
    /// not decide.
    @inline(__always)
    static func comparePrefixes(_ a: UInt64, _ b: UInt64) -> Int {
        let difference = a ^ b
        if difference == 0 { return 0 }
        let shift = UInt64(56 &- (difference.leadingZeroBitCount & ~7))
        let x = weight(UInt8(truncatingIfNeeded: a &>> shift))
        let y = weight(UInt8(truncatingIfNeeded: b &>> shift))
        return x < y ? -1 : 1
    }

    /// Compares two keys. Returns a negative number, zero or a positive number. A prefix comes first.
    static func compare(_ a: RawSpan, _ b: RawSpan) -> Int {
        let shared = min(a.byteCount, b.byteCount)
        var i = 0
        while i &+ 8 <= shared {
            let x = unsafe UInt64(bigEndian: a.unsafeLoadUnaligned(fromByteOffset: i, as: UInt64.self))
            let y = unsafe UInt64(bigEndian: b.unsafeLoadUnaligned(fromByteOffset: i, as: UInt64.self))
            if x != y { return comparePrefixes(x, y) }
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
