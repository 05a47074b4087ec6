/// A number whose canonical text has neither a fraction nor an exponent.
struct WholeNumber: Sendable, Hashable {
    let magnitude: UInt64
    let isNegative: Bool

    /// Nil for any other text, and for a number beyond 64 bits.
    init?(_ text: RawSpan) { self.init(text, modulo: nil) }

    /// What the number, of any length, leaves when divided by `divisor`. Nil for any other text. O(digits).
    init?(_ text: RawSpan, modulo divisor: UInt64) { self.init(text, modulo: Optional(divisor)) }

    private init?(_ text: RawSpan, modulo divisor: UInt64?) {
        var digits = text
        guard text.byteCount > 0 else { return nil }
        isNegative = unsafe text.unsafeLoad(fromByteOffset: 0, as: UInt8.self) == UInt8(ascii: "-")
        if isNegative { digits = text.extracting(1..<text.byteCount) }
        guard digits.byteCount > 0 else { return nil }
        var magnitude: UInt64 = 0
        for index in 0..<digits.byteCount {
            let digit = unsafe digits.unsafeLoad(fromByteOffset: index, as: UInt8.self) &- UInt8(ascii: "0")
            let (tenfold, overflow) = magnitude.multipliedReportingOverflow(by: 10)
            let (sum, carry) = tenfold.addingReportingOverflow(UInt64(digit))
            guard digit < 10 else { return nil }
            if !overflow, !carry {
                magnitude = sum
            } else {
                guard let divisor else { return nil }
                let wide = (magnitude % divisor).multipliedFullWidth(by: 10)
                let (low, carry) = wide.low.addingReportingOverflow(UInt64(digit))
                magnitude = divisor.dividingFullWidth((wide.high + (carry ? 1 : 0), low)).remainder
            }
        }
        self.magnitude = divisor.map { magnitude % $0 } ?? magnitude
    }
}
