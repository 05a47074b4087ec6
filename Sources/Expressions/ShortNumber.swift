/// The doubles that short decimals stand for, read without a parser.
enum ShortNumber {
    /// Powers of ten that are exact doubles.
    private static let powers: InlineArray<16, Double> = [
        1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
    ]

    /// Returns the value of a number of at most 15 digits without an exponent, or nil for any other text.
    ///
    /// The digits and the power of ten are exact doubles, so that the only operation rounds to the nearest one. No two
    /// decimals of at most 15 digits are the same double.
    static func value(_ text: RawSpan) -> Double? {
        guard text.byteCount <= 17 else { return nil }
        var digits: UInt64 = 0
        var count = 0
        var point: Int?
        var isNegative = false
        for index in 0..<text.byteCount {
            let byte = unsafe text.unsafeLoad(fromByteOffset: index, as: UInt8.self)
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"):
                digits = digits &* 10 &+ UInt64(byte &- UInt8(ascii: "0"))
                count += 1
            case UInt8(ascii: "-") where index == 0: isNegative = true
            case UInt8(ascii: ".") where point == nil: point = count
            default: return nil
            }
        }
        guard count > 0, count <= 15 else { return nil }
        let magnitude = Double(digits) / powers[count - (point ?? count)]
        return isNegative ? -magnitude : magnitude
    }
}
