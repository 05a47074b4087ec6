/// Reads base64 (RFC 4648, section 4).
package enum Base64 {
    /// Returns the bytes of `text`; nil if it is not base64.
    ///
    /// Blanks, tabs, carriage returns and line feeds are skipped wherever they stand: most encoders break lines, and
    /// CouchDB takes them. Padding must be there, complete and at the end, and nothing else may be in the text. The
    /// bits that the padding leaves over do not count.
    ///
    /// - Complexity: O(length of the text). At most three quarters of it is asked for as memory.
    package static func decode(_ text: Span<UInt8>) -> [UInt8]? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count / 4 * 3)
        var group: UInt32 = 0
        var count = 0
        var padding = 0
        for place in text.indices {
            let character = text[place]
            guard let value = value(of: character) else {
                switch character {
                case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"), UInt8(ascii: "\n"): continue
                case UInt8(ascii: "=") where count + padding < 4 && count >= 2: padding += 1
                default: return nil
                }
                continue
            }
            guard padding == 0 else { return nil }
            group = group << 6 | value
            count += 1
            if count == 4 {
                bytes.append(UInt8(truncatingIfNeeded: group >> 16))
                bytes.append(UInt8(truncatingIfNeeded: group >> 8))
                bytes.append(UInt8(truncatingIfNeeded: group))
                (group, count) = (0, 0)
            }
        }
        switch (count, padding) {
        case (0, 0): break
        case (2, 2): bytes.append(UInt8(truncatingIfNeeded: group >> 4))
        case (3, 1):
            bytes.append(UInt8(truncatingIfNeeded: group >> 10))
            bytes.append(UInt8(truncatingIfNeeded: group >> 2))
        default: return nil
        }
        return bytes
    }

    package static func decode(_ text: String) -> [UInt8]? { decode(text.utf8.span) }

    private static func value(of character: UInt8) -> UInt32? {
        switch character {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(character - UInt8(ascii: "A"))
        case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(character - UInt8(ascii: "a") + 26)
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(character - UInt8(ascii: "0") + 52)
        case UInt8(ascii: "+"): 62
        case UInt8(ascii: "/"): 63
        default: nil
        }
    }
}
