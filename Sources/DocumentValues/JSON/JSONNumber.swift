/// Converts numbers between text and memory.
enum JSONNumber {
    /// Whole doubles below 2^53 are written as integers; from this limit on they keep an exponent.
    static let exactLimit = 9_007_199_254_740_992.0

    /// The digits that can affect a double's rounding, and a few more (the longest tie has 767).
    private static let significantDigits = 800

    /// Returns the value of an integer whose text has been checked.
    static func integer(_ view: RawView, _ range: Range<Int>) -> (magnitude: UInt64, negative: Bool) {
        var i = range.lowerBound
        let negative = view[i] == UInt8(ascii: "-")
        if negative { i &+= 1 }
        var magnitude: UInt64 = 0
        while i < range.upperBound {
            magnitude = magnitude &* 10 &+ UInt64(view[i] &- 48)
            i &+= 1
        }
        return (magnitude, negative)
    }

    /// Returns the double nearest to a decimal whose grammar has been checked; infinite above the range, zero below it.
    static func double(_ view: RawView, _ range: Range<Int>) -> Double {
        var decimal = Decimal()
        decimal.read(view, range)
        if let exact = decimal.exact { return exact }
        return decimal.text(view, range).withUTF8Bytes { bytes in
            unsafe bytes.withUnsafeBytes { buffer in
                unsafe Double(Substring(decoding: buffer, as: UTF8.self)) ?? .nan
            }
        }
    }

    /// A decimal number split into the first 19 digits as an integer, and the power of ten.
    private struct Decimal {
        var mantissa: UInt64 = 0
        var negative = false
        /// The number of significant digits, including those beyond `mantissa`.
        var digits = 0
        /// The number of digits after the point.
        var fraction = 0
        /// The written exponent, clamped to a magnitude beyond that of every double.
        var exponent = 0
        /// The position of the exponent's mark, or the end.
        var end = 0

        mutating func read(_ view: RawView, _ range: Range<Int>) {
            var i = range.lowerBound
            var behindPoint = false
            if view[i] == UInt8(ascii: "-") {
                negative = true
                i &+= 1
            }
            while i < range.upperBound {
                let byte = view[i]
                if byte == UInt8(ascii: ".") {
                    behindPoint = true
                } else if byte | 0x20 == UInt8(ascii: "e") {
                    break
                } else {
                    if digits < 19 { mantissa = mantissa &* 10 &+ UInt64(byte &- 48) }
                    if digits > 0 || byte != UInt8(ascii: "0") { digits &+= 1 }
                    if behindPoint { fraction &+= 1 }
                }
                i &+= 1
            }
            end = i
            if i < range.upperBound { readExponent(view, i &+ 1..<range.upperBound) }
        }

        private mutating func readExponent(_ view: RawView, _ range: Range<Int>) {
            var i = range.lowerBound
            let below = view[i] == UInt8(ascii: "-")
            if below || view[i] == UInt8(ascii: "+") { i &+= 1 }
            while i < range.upperBound {
                if exponent < 1 << 40 { exponent = exponent &* 10 &+ Int(view[i] &- 48) }
                i &+= 1
            }
            if below { exponent = -exponent }
        }

        /// The value, if one multiplication or division of exact doubles yields it (Clinger's fast path).
        var exact: Double? {
            if mantissa == 0 { return 0 }
            let scale = exponent - fraction
            guard digits <= 19, mantissa < 1 << 53, scale >= -22, scale <= 22 else { return nil }
            let power = Decimal.powers[abs(scale)]
            let value = scale < 0 ? Double(mantissa) / power : Double(mantissa) * power
            return negative ? -value : value
        }

        private static let powers: [Double] = [
            1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18,
            1e19, 1e20, 1e21, 1e22,
        ]

        /// Returns the text to convert with the standard library, with a limited number of digits: of those beyond 800,
        /// it only matters whether any is not zero.
        func text(_ view: RawView, _ range: Range<Int>) -> String {
            if digits <= significantDigits, end == range.upperBound || range.count < 4096 {
                if range.count < 4096 { return view.string(range) }
            }
            var kept: [UInt8] = negative ? [UInt8(ascii: "-")] : []
            var taken = 0
            var rest = false
            for i in range.lowerBound..<end {
                let digit = view[i] &- 48
                if digit > 9 || (taken == 0 && digit == 0) { continue }
                if taken < significantDigits { kept.append(view[i]) } else { rest = rest || digit != 0 }
                taken += 1
            }
            if rest { kept.append(UInt8(ascii: "1")) }
            let power = exponent - fraction + taken - min(taken, significantDigits) - (rest ? 1 : 0)
            // In the range that every reader of exponents accepts, and still beyond every double.
            let bounded = max(-99_999, min(99_999, power))
            return String(decoding: kept, as: UTF8.self) + "e\(bounded)"
        }
    }
}
