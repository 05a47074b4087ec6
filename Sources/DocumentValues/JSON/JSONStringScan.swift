/// Finds the end of a string while checking its UTF-8 and its escapes.
enum JSONStringScan {
    /// The result in one word: the offset of the closing quote, with the flags of `JSONTape`; or `failed` with the
    /// kind of fault in bits 32 and up and the position in the lower ones.
    static let failed: UInt64 = 1 << 61

    @inline(__always)
    static func fault(_ kind: JSONFault.Kind, _ offset: Int) -> UInt64 {
        failed | UInt64(kind.rawValue) &<< 32 | UInt64(truncatingIfNeeded: offset)
    }

    /// Sets the high bit of every byte that must be escaped: quotes, backslashes and control characters. Only the
    /// lowest one is reliable; those above it may be wrong.
    @inline(__always)
    static func escapes(_ eight: UInt64) -> UInt64 {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let quote = eight ^ 0x2222_2222_2222_2222
        let backslash = eight ^ 0x5C5C_5C5C_5C5C_5C5C
        let low = (eight &- 0x2020_2020_2020_2020) & ~eight
        return ((quote &- ones) & ~quote | (backslash &- ones) & ~backslash | low) & 0x8080_8080_8080_8080
    }

    /// Returns the offset of the first byte after an opening quote that is no plain character: the closing quote, or
    /// something for `scanRest`. Zeros must follow the text, which end every run.
    @inline(__always)
    static func stop(_ view: RawView, after quote: Int) -> Int {
        let stops = view.stringStops(at: quote, plus: 1)
        return stops != 0 ? quote &+ 1 &+ stops.trailingZeroBitCount : stop(view, from: quote &+ 17)
    }

    @inline(__always)
    private static func stop(_ view: RawView, from start: Int) -> Int {
        var i = start
        while true {
            let stops = view.stringStops(at: i)
            if stops != 0 { return i &+ stops.trailingZeroBitCount }
            i &+= 16
        }
    }

    /// Finds the closing quote from a byte that is no plain character. Zeros follow the text's `length` bytes.
    @inline(never)
    static func scanRest(_ view: RawView, from start: Int, length: Int) -> UInt64 {
        var i = start
        var flags: UInt64 = 0
        while true {
            let byte = view[i]
            if byte == UInt8(ascii: "\"") { return UInt64(truncatingIfNeeded: i) | flags }
            if byte == UInt8(ascii: "\\") {
                let outcome = escape(view, at: i, length: length)
                if outcome & failed != 0 { return outcome }
                flags |= outcome & JSONTape.notCanonical | JSONTape.special
                i = Int(outcome & 0xFFFF_FFFF)
            } else if byte < 0x20 {
                return fault(i >= length ? .unterminated : .control, min(i, length))
            } else {
                repeat {
                    let size = multibyte(view, at: i)
                    if size == 0 { return fault(.encoding, i) }
                    i &+= size
                } while view[i] >= 0x80
            }
            i = stop(view, from: i)
        }
    }

    /// Returns the length of the well-formed multibyte character at `i`, or 0 if there is none (Unicode, table 3-7).
    @inline(__always)
    private static func multibyte(_ view: RawView, at i: Int) -> Int {
        let four = UInt32(truncatingIfNeeded: view.eight(at: i))
        let lead = four & 0xFF
        let second = four &>> 8 & 0xFF
        if lead < 0xE0 {
            return lead >= 0xC2 && second & 0xC0 == 0x80 ? 2 : 0
        }
        if lead < 0xF0 {
            guard four & 0xC0_C000 == 0x80_8000 else { return 0 }
            if lead == 0xE0 { return second >= 0xA0 ? 3 : 0 }
            if lead == 0xED { return second < 0xA0 ? 3 : 0 }
            return 3
        }
        guard lead <= 0xF4, four & 0xC0C0_C000 == 0x8080_8000 else { return 0 }
        if lead == 0xF0 { return second >= 0x90 ? 4 : 0 }
        if lead == 0xF4 { return second < 0x90 ? 4 : 0 }
        return 4
    }

    /// Checks the escape at `i`, with a surrogate pair as one. Returns the offset after it, with `notCanonical` if the
    /// canonical text differs.
    private static func escape(_ view: RawView, at i: Int, length: Int) -> UInt64 {
        let short = UInt64(truncatingIfNeeded: i &+ 2)
        switch view[i &+ 1] {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "b"), UInt8(ascii: "f"), UInt8(ascii: "n"),
            UInt8(ascii: "r"), UInt8(ascii: "t"):
            return short
        case UInt8(ascii: "/"): return short | JSONTape.notCanonical
        case UInt8(ascii: "u"): break
        default: return fault(i &+ 1 >= length ? .unterminated : .escape, min(i &+ 1, length))
        }
        guard let unit = hexadecimal(view, at: i &+ 2) else { return fault(.escape, i) }
        let end = UInt64(truncatingIfNeeded: i &+ 6)
        switch unit {
        case 0xD800..<0xDC00:
            guard view[i &+ 6] == UInt8(ascii: "\\"), view[i &+ 7] == UInt8(ascii: "u"),
                let low = hexadecimal(view, at: i &+ 8), (0xDC00..<0xE000).contains(low)
            else { return fault(.surrogate, i) }
            return UInt64(truncatingIfNeeded: i &+ 12) | JSONTape.notCanonical
        case 0xDC00..<0xE000: return fault(.surrogate, i)
        case 8, 9, 10, 12, 13: return end | JSONTape.notCanonical
        case 0..<0x20:
            let last = view[i &+ 5]
            return (UInt8(ascii: "A")...UInt8(ascii: "F")).contains(last) ? end | JSONTape.notCanonical : end
        default: return end | JSONTape.notCanonical
        }
    }

    /// Returns the value of four hexadecimal digits, or nil for anything else.
    static func hexadecimal(_ view: RawView, at start: Int) -> UInt32? {
        var value: UInt32 = 0
        for i in start..<start &+ 4 {
            let byte = view[i]
            let digit: UInt8
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = byte &- UInt8(ascii: "0")
            case UInt8(ascii: "a")...UInt8(ascii: "f"): digit = byte &- UInt8(ascii: "a") &+ 10
            case UInt8(ascii: "A")...UInt8(ascii: "F"): digit = byte &- UInt8(ascii: "A") &+ 10
            default: return nil
            }
            value = value &<< 4 | UInt32(digit)
        }
        return value
    }
}
