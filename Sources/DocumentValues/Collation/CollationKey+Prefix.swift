extension CollationKey {
    /// Returns how many bytes of an array's key precede the end of its first `count` elements, without the array's own
    /// end. If it has fewer elements, counts all of them. Nil if the key is not that of an array, or is damaged in this
    /// part.
    ///
    /// The keys of all arrays that begin with these elements, and no others, begin with these bytes.
    ///
    /// - Complexity: O(the bytes counted).
    public static func prefixLength(of key: RawSpan, elements count: Int) -> Int? {
        var check = KeyCheck()
        return check.end(ofElements: count, in: key)
    }

    /// Returns the lowest byte string above all that begin with `prefix`, or nil if there is none because all its bytes
    /// are FF.
    public static func end(ofPrefix prefix: [UInt8]) -> [UInt8]? {
        guard let last = prefix.lastIndex(where: { $0 != 0xFF }) else { return nil }
        var end = Array(prefix[...last])
        end[last] += 1
        return end
    }

    /// The ranges of the keys of arrays, from the lower bound to below the upper one: in raw order, and in Unicode
    /// order. No other keys are in either of them.
    package static let arrays: [(lower: [UInt8], upper: [UInt8])] = [KeyTags.raw.array, KeyTags.unicode.array].map {
        ([$0], [$0 + 1])
    }

    /// The first byte of a string's key in raw order. The string's bytes follow.
    package static let rawString = KeyTags.raw.string
}
