extension JSONScanner {
    /// Returns the bytes of the first `count` elements of an array, with the commas between them but without the
    /// brackets; of all elements if there are fewer. Nil if the text is not an array or ends too early.
    ///
    /// - Complexity: Linear in the length of these elements, at about 16 bytes a step.
    public static func range(ofElements count: Int, in text: RawSpan) -> Range<Int>? {
        leadingElements(count, in: text)?.range
    }

    /// Returns the bytes of the first elements of an array, their number, and the bytes of the next one, if there is
    /// one.
    static func leadingElements(
        _ count: Int,
        in text: RawSpan
    ) -> (range: Range<Int>, count: Int, next: Range<Int>?)? {
        unsafe text.withUnsafeBytes { bytes in
            guard let bytes = unsafe CanonicalBytes(bytes), bytes[0] == UInt8(ascii: "[") else { return nil }
            if bytes[1] == UInt8(ascii: "]") { return (1..<1, 0, nil) }
            var start = 1
            var end = 1
            for taken in 0..<max(0, count) {
                end = bytes.end(ofValueAt: start)
                guard end >= 0, bytes[end] != 0 else { return nil }
                if bytes[end] != UInt8(ascii: ",") { return (1..<end, taken + 1, nil) }
                start = end + 1
            }
            return bytes.range(ofValueAt: start).map { (1..<end, max(0, count), $0) }
        }
    }
}
