extension JSONNumber {
    /// The maximum length of a number's text, in bytes.
    static let longestText = 32

    /// Writes the canonical text of a finite double at `place` and returns the offset after it.
    ///
    /// The text is that of ECMAScript (RFC 8785, 3.2.2.3), made from the shortest digits that read back as the same
    /// double, except that a whole number of magnitude 2^53 and more is written with an exponent.
    static func write(_ value: Double, to view: RawView, at place: Int) -> Int {
        if value.magnitude < exactLimit, let whole = Int64(exactly: value) { return write(whole, to: view, at: place) }
        var out = place
        if value < 0 {
            view[out] = UInt8(ascii: "-")
            out &+= 1
        }
        if let end = writeShortDecimal(value.magnitude, to: view, at: out) { return end }
        // The digits without the point, and the position of the decimal point after the first digit as a power of ten.
        var digits: InlineArray<24, UInt8> = .init(repeating: 0)
        let (count, power) = shortest(value.magnitude, &digits)
        if power >= -6, power < 0 {
            out = put("0.", view, out)
            for _ in 0..<(-power &- 1) { out = put("0", view, out) }
            for i in 0..<count { out = put(digits[i], view, out) }
        } else if power >= 0, power < count &- 1 {
            for i in 0..<count {
                out = put(digits[i], view, out)
                if i == power { out = put(".", view, out) }
            }
        } else {
            out = put(digits[0], view, out)
            if count > 1 {
                out = put(".", view, out)
                for i in 1..<count { out = put(digits[i], view, out) }
            }
            out = put(power < 0 ? "e-" : "e+", view, out)
            out = write(Int64(power.magnitude), to: view, at: out)
        }
        return out
    }

    /// Writes a decimal of one to four places and at most 15 digits. Returns nil if the double is not one.
    ///
    /// No two decimals of at most 15 digits are the same double, so the first one found is the shortest.
    private static func writeShortDecimal(_ value: Double, to view: RawView, at place: Int) -> Int? {
        guard value < 1e11 else { return nil }
        var scale: UInt64 = 10
        var places = 1
        while places <= 4 {
            let scaled = (value * Double(scale)).rounded()
            if scaled > 0, scaled / Double(scale) == value {
                let digits = UInt64(scaled)
                var out = write(digits / scale, to: view, at: place)
                view[out] = UInt8(ascii: ".")
                out &+= places
                var rest = digits % scale
                for i in 0..<places {
                    view[out &- i] = UInt8(truncatingIfNeeded: rest % 10) &+ 48
                    rest /= 10
                }
                return out &+ 1
            }
            scale &*= 10
            places &+= 1
        }
        return nil
    }

    /// Writes an integer at `place` and returns the offset after it.
    static func write(_ value: Int64, to view: RawView, at place: Int) -> Int {
        var out = place
        if value < 0 {
            view[out] = UInt8(ascii: "-")
            out &+= 1
        }
        return write(value.magnitude, to: view, at: out)
    }

    /// Writes an integer at `place` and returns the offset after it.
    static func write(_ value: UInt64, to view: RawView, at place: Int) -> Int {
        var count = 1
        var rest = value
        while rest >= 10 {
            rest /= 10
            count &+= 1
        }
        rest = value
        var i = place &+ count
        repeat {
            i &-= 1
            let quotient = rest / 10
            view[i] = UInt8(truncatingIfNeeded: rest &- quotient &* 10) &+ 48
            rest = quotient
        } while rest != 0
        return place &+ count
    }

    /// Returns the shortest digits of a positive double, taken from the standard library's text, whose layout differs.
    private static func shortest(_ value: Double, _ digits: inout InlineArray<24, UInt8>) -> (count: Int, power: Int) {
        var count = 0
        var point: Int?
        var exponent = 0
        var below = false
        var inExponent = false
        var leading = 0
        for byte in value.description.utf8 {
            switch byte {
            case UInt8(ascii: "."): point = count
            case UInt8(ascii: "e"): inExponent = true
            case UInt8(ascii: "-"): below = true
            case UInt8(ascii: "+"): break
            default:
                if inExponent {
                    exponent = exponent &* 10 &+ Int(byte &- 48)
                } else if count == 0, byte == UInt8(ascii: "0") {
                    // Zeros before the first significant digit only count after the point.
                    if point != nil { leading &+= 1 }
                } else {
                    digits[count] = byte
                    count &+= 1
                }
            }
        }
        let whole = point ?? count
        while count > 1, digits[count &- 1] == UInt8(ascii: "0") { count &-= 1 }
        return (count, whole &- leading &- 1 &+ (below ? -exponent : exponent))
    }

    @inline(__always)
    private static func put(_ byte: UInt8, _ view: RawView, _ place: Int) -> Int {
        view[place] = byte
        return place &+ 1
    }

    @inline(__always)
    private static func put(_ text: StaticString, _ view: RawView, _ place: Int) -> Int {
        var out = place
        for i in 0..<text.utf8CodeUnitCount {
            view[out] = unsafe text.utf8Start[i]
            out &+= 1
        }
        return out
    }
}
