extension CollationKey {
    /// How many bytes of the key of an array lead up to the end of its first `count` elements, without the array's own
    /// end; all elements, if it has fewer. Nil where the key is no array's, or is damaged up to there.
    ///
    /// The keys of all arrays that begin with these elements, and no others, begin with these bytes.
    ///
    /// - Complexity: O(the bytes counted).
    public static func prefixLength(of key: RawSpan, elements count: Int) -> Int? {
        var check = KeyCheck()
        return check.end(ofElements: count, in: key)
    }

    /// The least byte string above all that begin with `prefix`; nil where there is none, because it has no byte but
    /// FF.
    public static func end(ofPrefix prefix: [UInt8]) -> [UInt8]? {
        guard let last = prefix.lastIndex(where: { $0 != 0xFF }) else { return nil }
        var end = Array(prefix[...last])
        end[last] += 1
        return end
    }

    /// Where the keys of arrays are, from the lowest to below the upper: in raw order, and in Unicode order. Other keys
    /// are in neither of them.
    package static let arrays: [(lower: [UInt8], upper: [UInt8])] = [KeyTags.raw.array, KeyTags.unicode.array].map {
        ([$0], [$0 + 1])
    }
}
