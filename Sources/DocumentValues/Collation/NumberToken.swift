internal import StorageProtocol

/// The text of a JSON number, split into its parts.
struct NumberToken {
    let isNegative: Bool
    /// Neither a fraction nor an exponent.
    let isInteger: Bool
    /// All digits before the exponent as one number.
    let digits: UInt64
    /// Whether `digits` contains all of them; it overflows beyond 64 bits.
    let isExact: Bool
    /// The power of ten by which to multiply `digits`; meaningless beyond ±`Int32.max`.
    private let power: Int
    private let range: Range<Int>

    /// Reads the number at `offset` and moves past it.
    init(_ json: RawSpan, _ offset: inout Int) throws(StorageError) {
        let start = offset
        var value: UInt64 = 0
        var isExact = true

        func digit(at offset: Int) -> UInt8? {
            guard offset < json.byteCount else { return nil }
            let byte = unsafe json.unsafeLoad(fromByteOffset: offset, as: UInt8.self)
            return UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte ? byte & 0x0F : nil
        }
        /// Reads one or more digits.
        func digits(_ body: (UInt8) -> Void) throws(StorageError) {
            guard var current = digit(at: offset) else { throw KeyText.malformed("a number has no digits") }
            while true {
                body(current)
                offset += 1
                guard let following = digit(at: offset) else { return }
                current = following
            }
        }
        func add(_ digit: UInt8) {
            let (product, overflow) = value.multipliedReportingOverflow(by: 10)
            let (sum, carry) = product.addingReportingOverflow(UInt64(digit))
            if overflow || carry { isExact = false }
            value = sum
        }

        isNegative = KeyText.matches("-", json, offset)
        if isNegative { offset += 1 }
        if digit(at: offset) == 0 && digit(at: offset + 1) != nil {
            throw KeyText.malformed("a number has a leading zero")
        }
        try digits(add)
        var isInteger = true
        var power = 0
        if KeyText.matches(".", json, offset) {
            isInteger = false
            offset += 1
            let first = offset
            try digits(add)
            power = first - offset
        }
        if KeyText.matches("e", json, offset) || KeyText.matches("E", json, offset) {
            isInteger = false
            offset += 1
            let isNegative = KeyText.matches("-", json, offset)
            if isNegative || KeyText.matches("+", json, offset) { offset += 1 }
            var exponent = 0
            try digits { exponent = min(exponent * 10 + Int($0), Int(Int32.max) / 16) }
            power += isNegative ? -exponent : exponent
        }
        self.isInteger = isInteger
        self.digits = value
        self.isExact = isExact
        self.power = power
        self.range = start..<offset
    }

    /// Returns the nearest double; infinite beyond the range.
    func double(_ json: RawSpan) -> Double? {
        // Up to 2^53 and 10^22 both factors are exact doubles, so a single operation rounds only once.
        if isExact, digits <= 1 << 53, -22...22 ~= power {
            let magnitude = Double(digits)
            let exact = power < 0 ? magnitude / Self.tens[-power] : magnitude * Self.tens[power]
            return isNegative ? -exact : exact
        }
        let text = unsafe json.extracting(range).withUnsafeBytes { unsafe String(decoding: $0, as: UTF8.self) }
        return Double(text)
    }

    private static let tens: [Double] = [
        1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19,
        1e20, 1e21, 1e22,
    ]
}
