internal import StorageProtocol

extension KeyText {
    /// Reads the character at `offset`, which must be before `end`, and moves past it.
    static func scalar(_ json: RawSpan, _ offset: inout Int, end: Int) throws(StorageError) -> Unicode.Scalar {
        let byte = unsafe json.unsafeLoad(fromByteOffset: offset, as: UInt8.self)
        if byte == UInt8(ascii: "\\") { return try escape(json, &offset, end: end) }
        offset += 1
        if byte < 0x80 { return Unicode.Scalar(byte) }
        let scalar: Unicode.Scalar?
        switch byte {
        case 0xC2...0xDF: scalar = multibyte(json, &offset, end: end, lead: byte & 0x1F, tail: 1, least: 0x80)
        case 0xE0...0xEF: scalar = multibyte(json, &offset, end: end, lead: byte & 0x0F, tail: 2, least: 0x800)
        case 0xF0...0xF4: scalar = multibyte(json, &offset, end: end, lead: byte & 0x07, tail: 3, least: 0x10000)
        default: scalar = nil
        }
        guard let scalar else { throw malformed("a string is not UTF-8") }
        return scalar
    }

    private static func multibyte(
        _ json: RawSpan,
        _ offset: inout Int,
        end: Int,
        lead: UInt8,
        tail: Int,
        least: UInt32
    ) -> Unicode.Scalar? {
        guard end - offset >= tail else { return nil }
        var value = UInt32(lead)
        for _ in 0..<tail {
            let byte = unsafe json.unsafeLoad(fromByteOffset: offset, as: UInt8.self)
            guard byte & 0xC0 == 0x80 else { return nil }
            value = value << 6 | UInt32(byte & 0x3F)
            offset += 1
        }
        // Overlong forms are below `least`; surrogates and values beyond U+10FFFF are not scalars.
        return value < least ? nil : Unicode.Scalar(value)
    }

    private static func escape(_ json: RawSpan, _ offset: inout Int, end: Int) throws(StorageError) -> Unicode.Scalar {
        guard end - offset >= 2 else { throw malformed("a string has an incomplete escape") }
        let letter = unsafe json.unsafeLoad(fromByteOffset: offset + 1, as: UInt8.self)
        offset += 2
        switch letter {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(letter)
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{C}"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "u"): break
        default: throw malformed("a string has an unknown escape")
        }
        let first = try hexadecimal(json, &offset, end: end)
        if let scalar = Unicode.Scalar(first) { return scalar }
        guard UTF16.isLeadSurrogate(first), end - offset >= 6, matches("\\u", json, offset) else {
            throw malformed("a string has a lone surrogate")
        }
        offset += 2
        let second = try hexadecimal(json, &offset, end: end)
        guard UTF16.isTrailSurrogate(second),
            let scalar = Unicode.Scalar(0x10000 + UInt32(first - 0xD800) << 10 + UInt32(second - 0xDC00))
        else { throw malformed("a string has a lone surrogate") }
        return scalar
    }

    private static func hexadecimal(_ json: RawSpan, _ offset: inout Int, end: Int) throws(StorageError) -> UInt16 {
        guard end - offset >= 4 else { throw malformed("a string has an incomplete escape") }
        var value: UInt16 = 0
        for _ in 0..<4 {
            let byte = unsafe json.unsafeLoad(fromByteOffset: offset, as: UInt8.self)
            let digit: UInt8
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = byte - UInt8(ascii: "0")
            case UInt8(ascii: "a")...UInt8(ascii: "f"): digit = byte - UInt8(ascii: "a") + 10
            case UInt8(ascii: "A")...UInt8(ascii: "F"): digit = byte - UInt8(ascii: "A") + 10
            default: throw malformed("a string has an unknown escape")
            }
            value = value << 4 | UInt16(digit)
            offset += 1
        }
        return value
    }
}
