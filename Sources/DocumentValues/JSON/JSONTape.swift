/// The words of a parser's tape.
///
/// Every value has one word: its kind, two flags, and where its source text begins and ends (28 bits each, quotes and
/// brackets included). A container has a second word: the tape position after its last value and the number of its
/// elements or members. An object's members follow as name, value, name, value... A name has a second word, too: the
/// number by which it is sorted (`JSONKeyOrder`).
enum JSONTape {
    static let offsetBits: UInt64 = 28
    static let offsetMask: UInt64 = (1 << 28) - 1
    static let kindShift: UInt64 = 56

    /// The source text of this value is not its canonical text.
    static let notCanonical: UInt64 = 1 << 63
    /// A string with escapes, or an object whose names are not strictly ascending.
    static let special: UInt64 = 1 << 62
    /// A name between which and its value there is white space.
    static let apart: UInt64 = 1 << 60

    /// The number of words of a name.
    static let nameSize = 2

    @inline(__always)
    static func word(_ kind: JSONKind, from start: Int, to end: Int, flags: UInt64 = 0) -> UInt64 {
        UInt64(kind.rawValue) &<< kindShift | UInt64(truncatingIfNeeded: end) &<< offsetBits
            | UInt64(truncatingIfNeeded: start) | flags
    }
    /// The word of a string without flags whose quotes stand at `start` and `last`.
    @inline(__always)
    static func plainString(from start: Int, to last: Int) -> UInt64 {
        // What is constant is added in one step.
        let one = UInt64(JSONKind.string.rawValue) &<< kindShift &+ 1 &<< offsetBits
        return UInt64(truncatingIfNeeded: last) &<< offsetBits &+ UInt64(truncatingIfNeeded: start) &+ one
    }

    @inline(__always)
    static func kind(_ word: UInt64) -> JSONKind { JSONKind(rawValue: UInt8(word &>> kindShift & 0xF)) ?? .null }
    @inline(__always)
    static func start(_ word: UInt64) -> Int { Int(word & offsetMask) }
    @inline(__always)
    static func end(_ word: UInt64) -> Int { Int(word &>> offsetBits & offsetMask) }
    @inline(__always)
    static func range(_ word: UInt64) -> Range<Int> { start(word)..<max(start(word), end(word)) }
    /// Whether a value is an array or an object, the last two kinds.
    @inline(__always)
    static func isContainer(_ word: UInt64) -> Bool { word &>> kindShift & 0xF >= UInt64(JSONKind.array.rawValue) }
    @inline(__always)
    static func isCanonical(_ word: UInt64) -> Bool { word & notCanonical == 0 }
    @inline(__always)
    static func isSpecial(_ word: UInt64) -> Bool { word & special != 0 }

    /// A container's second word.
    @inline(__always)
    static func extent(next: Int, count: Int) -> UInt64 {
        UInt64(truncatingIfNeeded: next) &<< 32 | UInt64(truncatingIfNeeded: count)
    }
    @inline(__always)
    static func next(_ extent: UInt64) -> Int { Int(extent &>> 32) }
    @inline(__always)
    static func count(_ extent: UInt64) -> Int { Int(extent & 0xFFFF_FFFF) }
}
