/// A number whose canonical text has neither a fraction nor an exponent.
struct WholeNumber: Sendable, Hashable {
    let magnitude: UInt64
    let isNegative: Bool

    /// Nil for any other text.
    init?(_ text: RawSpan) {
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
            guard digit < 10, !overflow, !carry else { return nil }
            magnitude = sum
        }
        self.magnitude = magnitude
    }
}
