/// Finds the end of a number while checking its grammar and its range.
enum JSONNumberScan {
    /// Returns the result in one word: the offset after the number, its kind, and `JSONTape.notCanonical` if its text
    /// has to be rewritten; or a fault in the form of `JSONStringScan.fault`.
    @inline(__always)
    static func scan(_ view: RawView, from start: Int) -> UInt64 {
        var i = start
        let negative = view[i] == UInt8(ascii: "-")
        if negative { i &+= 1 }
        let first = i
        var digit = view[i] &- 48
        if digit > 9 { return JSONStringScan.fault(.number, i) }
        var mantissa = UInt64(digit)
        i &+= 1
        digit = view[i] &- 48
        if mantissa == 0 {
            if digit <= 9 { return JSONStringScan.fault(.leadingZero, first) }
        } else {
            while digit <= 9 {
                mantissa = mantissa &* 10 &+ UInt64(digit)
                i &+= 1
                digit = view[i] &- 48
            }
        }
        let byte = view[i]
        if byte == UInt8(ascii: ".") || byte | 0x20 == UInt8(ascii: "e") {
            return scanDouble(view, from: start, first: first, at: i)
        }
        return integer(view, from: start, first: first, end: i, mantissa: mantissa)
    }

    @inline(__always)
    private static func integer(_ view: RawView, from start: Int, first: Int, end: Int, mantissa: UInt64) -> UInt64 {
        let place = UInt64(truncatingIfNeeded: end)
        let int = UInt64(JSONKind.int.rawValue) &<< JSONTape.kindShift
        let digits = end &- first
        let negative = first != start
        if digits <= 18 {
            return mantissa == 0 && negative ? place | int | JSONTape.notCanonical : place | int
        }
        // Twenty digits that fit UInt64 begin with 1, and have not wrapped around.
        if digits > 20 || (digits == 20 && (view[first] != UInt8(ascii: "1") || mantissa < 10_000_000_000_000_000_000))
        {
            return JSONStringScan.fault(.integerRange, start)
        }
        if negative {
            return mantissa <= 1 &<< 63 ? place | int : JSONStringScan.fault(.integerRange, start)
        }
        if mantissa >> 63 == 0 { return place | int }
        return place | UInt64(JSONKind.uint.rawValue) &<< JSONTape.kindShift
    }

    /// Continues at the fraction or exponent.
    @inline(__always)
    private static func scanDouble(_ view: RawView, from start: Int, first: Int, at point: Int) -> UInt64 {
        let double = UInt64(JSONKind.double.rawValue) &<< JSONTape.kindShift
        var i = point
        if view[i] == UInt8(ascii: ".") {
            i &+= 1
            let fraction = i
            while view[i] &- 48 <= 9 { i &+= 1 }
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
