/// A position in a text that arrives in parts. It moves past strings and containers without reading their content.
@safe
struct JSONSkip {
    private let base: UnsafeRawBufferPointer
    private(set) var position: Int
    /// Open brackets, while a container is being skipped.
    private(set) var depth = 0
    /// Whether the bytes ended inside a string.
    private(set) var inString = false

    /// The bytes must not change while this is used.
    @unsafe
    init(_ base: UnsafeRawBufferPointer, at position: Int = 0) {
        unsafe self.base = base
        self.position = position
    }

    /// Continues where another one stopped because its bytes ended too early.
    @unsafe
    init(_ base: UnsafeRawBufferPointer, at position: Int, depth: Int, inString: Bool) {
        unsafe self.base = base
        self.position = position
        self.depth = depth
        self.inString = inString
    }

    @inline(__always)
    private var count: Int { unsafe base.count }

    /// The byte at `index`, zero beyond the end.
    @inline(__always)
    private func byte(_ index: Int) -> UInt8 {
        guard index < count else { return 0 }
        return unsafe base.load(fromByteOffset: index, as: UInt8.self)
    }

    /// The eight bytes from `index`, zeros beyond the end.
    @inline(__always)
    private func eight(_ index: Int) -> UInt64 {
        if index &+ 8 <= count {
            return UInt64(littleEndian: unsafe base.loadUnaligned(fromByteOffset: index, as: UInt64.self))
        }
        var eight: UInt64 = 0
        var i = count
        while i > index {
            i &-= 1
            eight = eight &<< 8 | UInt64(byte(i))
        }
        return eight
    }

    /// Moves past a string, from its opening quote.
    @inline(__always)
    mutating func skipString() -> Bool {
        position &+= 1
        return skipRestOfString()
    }

    /// Moves past the rest of a string. If the bytes end first, sets `inString`.
    @inline(__always)
    private mutating func skipRestOfString() -> Bool {
        while position < count {
            let marks = JSONSkip.marks(eight(position), UInt8(ascii: "\""), UInt8(ascii: "\\"))
            if marks == 0 {
                position = min(position &+ 8, count)
                continue
            }
            position &+= marks.trailingZeroBitCount &>> 3
            if byte(position) == UInt8(ascii: "\"") {
                position &+= 1
                return true
            }
            // May lead one byte past the end: that byte is escaped too.
            position &+= 2
        }
        inString = true
        return false
    }

    /// Moves past a container or a string, from its opening bracket or quote, or from where the previous bytes ended.
    /// Returns false if the bytes end within it.
    mutating func skipContainer() -> Bool {
        if inString {
            inString = false
            if !skipRestOfString() { return false }
            if depth == 0 { return true }
        }
        while position < count {
            let word = eight(position)
            // All four brackets become 7F when these bits are set. So do a few letters that only occur in strings.
            let brackets = JSONSkip.zeroes((word | 0x2626_2626_2626_2626) ^ 0x7F7F_7F7F_7F7F_7F7F)
            let marks = brackets | JSONSkip.zeroes(word ^ 0x2222_2222_2222_2222)
            if marks == 0 {
                position = min(position &+ 8, count)
                continue
            }
            position &+= marks.trailingZeroBitCount &>> 3
            switch byte(position) {
            case UInt8(ascii: "\""):
                if !skipString() { return false }
                if depth == 0 { return true }
                continue
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth &+= 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                depth &-= 1
                if depth <= 0 {
                    position &+= 1
                    return true
                }
            default: break
            }
            position &+= 1
        }
        return false
    }

    /// Sets the high bit of every byte that is `a` or `b`. Only the lowest one is reliable.
    @inline(__always)
    private static func marks(_ eight: UInt64, _ a: UInt8, _ b: UInt8) -> UInt64 {
        let ones: UInt64 = 0x0101_0101_0101_0101
        return zeroes(eight ^ ones &* UInt64(a)) | zeroes(eight ^ ones &* UInt64(b))
    }

    /// Sets the high bit of every byte that is zero. Only the lowest one is reliable.
    @inline(__always)
    private static func zeroes(_ eight: UInt64) -> UInt64 {
        (eight &- 0x0101_0101_0101_0101) & ~eight & 0x8080_8080_8080_8080
    }
}
