/// Finds the end of a number while checking its grammar and its range.
enum JSONNumberScan {
    /// Returns the result in one word: the offset after the number, its kind, and `JSONTape.notCanonical` if its text
    /// has to be rewritten; or a fault in the form of `JSONStringScan.fault`.
    @inline(never)
    static func scan(_ view: RawView, from start: Int) -> UInt64 {
        let first = view[start] == UInt8(ascii: "-") ? start &+ 1 : start
        let end = endOfDigits(view, first)
        if end == first { return JSONStringScan.fault(.number, first) }
        if view[first] == UInt8(ascii: "0"), end > first &+ 1 { return JSONStringScan.fault(.leadingZero, first) }
        let byte = view[end]
        if byte == UInt8(ascii: ".") || byte | 0x20 == UInt8(ascii: "e") {
            return scanDouble(view, from: start, first: first, at: end)
        }
        return integer(view, from: start, first: first, end: end)
    }

    /// Returns the offset of the first byte from `start` that is no digit.
    @inline(__always)
    private static func endOfDigits(_ view: RawView, _ start: Int) -> Int {
        var i = start
        while true {
            // Digits become 0 to 9. Then the high bit is set in the first byte that is more; maybe in those after it.
            let eight = view.eight(at: i) ^ 0x3030_3030_3030_3030
            let others = (eight &+ 0x7676_7676_7676_7676 | eight) & 0x8080_8080_8080_8080
            if others != 0 { return i &+ others.trailingZeroBitCount &>> 3 }
            i &+= 8
        }
    }

    @inline(__always)
    private static func integer(_ view: RawView, from start: Int, first: Int, end: Int) -> UInt64 {
        let outcome = UInt64(truncatingIfNeeded: end) | UInt64(JSONKind.int.rawValue) &<< JSONTape.kindShift
        let negative = first != start
        if end &- first > 18 { return longInteger(view, from: start, first: first, end: end) }
        return negative && view[first] == UInt8(ascii: "0") ? outcome | JSONTape.notCanonical : outcome
    }

    /// Ends an integer of more than 18 digits. Beyond 64 bits its text is kept as it is, up to the largest double.
    @inline(never)
    private static func longInteger(_ view: RawView, from start: Int, first: Int, end: Int) -> UInt64 {
        let place = UInt64(truncatingIfNeeded: end)
        let long = UInt64(JSONKind.longInteger.rawValue) &<< JSONTape.kindShift
        let digits = end &- first
        if digits > 20 {
            // The largest double has 309 digits.
            if digits > 308, !JSONNumber.double(view, start..<end).isFinite {
                return JSONStringScan.fault(.doubleRange, start)
            }
            return place | long
        }
        let mantissa = JSONNumber.integer(view, first..<end).magnitude
        // Twenty digits that fit UInt64 begin with 1, and have not wrapped around.
        if digits == 20, view[first] != UInt8(ascii: "1") || mantissa < 10_000_000_000_000_000_000 {
            return place | long
        }
        if first != start {
            return place | (mantissa <= 1 &<< 63 ? UInt64(JSONKind.int.rawValue) &<< JSONTape.kindShift : long)
        }
        return place | UInt64((mantissa >> 63 == 0 ? JSONKind.int : .uint).rawValue) &<< JSONTape.kindShift
    }

    /// Continues at the fraction or exponent.
    @inline(__always)
    private static func scanDouble(_ view: RawView, from start: Int, first: Int, at point: Int) -> UInt64 {
        let double = UInt64(JSONKind.double.rawValue) &<< JSONTape.kindShift
        var i = point
        if view[i] == UInt8(ascii: ".") {
            i &+= 1
            let fraction = i
            i = endOfDigits(view, i)
            if i == fraction { return JSONStringScan.fault(.number, i) }
            if view[i] | 0x20 != UInt8(ascii: "e") {
                if point &- first > 300, !JSONNumber.double(view, start..<i).isFinite {
                    return JSONStringScan.fault(.doubleRange, start)
                }
                return UInt64(truncatingIfNeeded: i) | double
                    | decimalFlags(view, from: start, first: first, point: point, end: i)
            }
        }
        return scanExponent(view, from: start, first: first, at: i)
    }

    /// A decimal of at most 15 significant digits without a trailing zero is its own shortest round trip.
    @inline(__always)
    private static func decimalFlags(_ view: RawView, from start: Int, first: Int, point: Int, end: Int) -> UInt64 {
        if view[end &- 1] == UInt8(ascii: "0") { return JSONTape.notCanonical }
        if view[first] != UInt8(ascii: "0") {
            return end &- first &- 1 <= 15 ? 0 : JSONTape.notCanonical
        }
        // Below 0.000001 the canonical text has an exponent.
        if end &- point &- 1 > 15 { return JSONTape.notCanonical }
        var i = point &+ 1
        while view[i] == UInt8(ascii: "0") { i &+= 1 }
        return i &- point &- 1 <= 5 ? 0 : JSONTape.notCanonical
    }

    @inline(never)
    private static func scanExponent(_ view: RawView, from start: Int, first: Int, at exponent: Int) -> UInt64 {
        var i = exponent &+ 1
        if view[i] == UInt8(ascii: "+") || view[i] == UInt8(ascii: "-") { i &+= 1 }
        let digits = i
        while view[i] &- 48 <= 9 { i &+= 1 }
        if i == digits { return JSONStringScan.fault(.number, i) }
        if !JSONNumber.double(view, start..<i).isFinite { return JSONStringScan.fault(.doubleRange, start) }
        return UInt64(truncatingIfNeeded: i) | UInt64(JSONKind.double.rawValue) &<< JSONTape.kindShift
            | JSONTape.notCanonical
    }
}
