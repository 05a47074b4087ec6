internal import SetteeDocumentValues
internal import StorageProtocol

/// A number with the value of its decimal text: 0.0075 is 75 times 10 to the -4, not the nearest double.
struct DecimalNumber: Sendable {
    /// Without trailing zeros; 0 for zero.
    let coefficient: UInt64
    let exponent: Int

    /// The magnitude of a number; nil if the value is not a number, or is not finite.
    init?(magnitudeOf value: JSONValue) {
        switch value {
        case .int(let number): self.init(number.magnitude, 0)
        case .uint(let number): self.init(number, 0)
        case .longInteger(let number):
            // Exact if 64 bits hold what stands before its last zeros, else the nearest double.
            let digits = number.description.utf8.drop { $0 == UInt8(ascii: "-") }
            let zeros = digits.reversed().prefix { $0 == UInt8(ascii: "0") }.count
            if let coefficient = UInt64(String(digits.dropLast(zeros)) ?? "") {
                self.init(coefficient, zeros)
            } else {
                self.init(digitsOf: number.doubleValue.magnitude)
            }
        case .double(let number):
            guard number.isFinite else { return nil }
            self.init(digitsOf: number.magnitude)
        default: return nil
        }
    }

    private init(_ coefficient: UInt64, _ exponent: Int) {
        var (coefficient, exponent) = (coefficient, exponent)
        while coefficient != 0, coefficient.isMultiple(of: 10) {
            coefficient /= 10
            exponent += 1
        }
        self.coefficient = coefficient
        self.exponent = exponent
    }

    /// Takes the shortest digits that identify a double, at most 17.
    private init(digitsOf number: Double) {
        let text = number.description.utf8
        var coefficient: UInt64 = 0
        var exponent = 0
        var isFraction = false
        for (position, byte) in zip(text.indices, text) {
            switch byte {
            case UInt8(ascii: "."): isFraction = true
            case UInt8(ascii: "e"):
                exponent += Int(String(text[text.index(after: position)...]) ?? "") ?? 0
                self.init(coefficient, exponent)
                return
            default:
                // Whole numbers below 2^54 are written in full, with ".0".
                coefficient = coefficient &* 10 &+ UInt64(byte &- UInt8(ascii: "0"))
                if isFraction { exponent -= 1 }
            }
        }
        self.init(coefficient, exponent)
    }

    /// Returns whether this is a whole multiple of `unit`, which is not zero. Exact.
    func isMultiple(of unit: DecimalNumber) -> Bool {
        if coefficient == 0 { return true }
        let shift = exponent - unit.exponent
        if shift >= 0 {
            let power = DecimalNumber.power(of: 10, shift, modulo: unit.coefficient)
            return DecimalNumber.product(coefficient % unit.coefficient, power, modulo: unit.coefficient) == 0
        }
        // 10^20 is higher than any coefficient.
        guard shift > -20 else { return false }
        var divisor = unit.coefficient
        for _ in 0..<(-shift) {
            let (product, overflow) = divisor.multipliedReportingOverflow(by: 10)
            if overflow { return false }
            divisor = product
        }
        return coefficient.isMultiple(of: divisor)
    }

    private static func product(_ a: UInt64, _ b: UInt64, modulo m: UInt64) -> UInt64 {
        // The high half is below `m`, because both factors are.
        m.dividingFullWidth(a.multipliedFullWidth(by: b)).remainder
    }

    private static func power(of base: UInt64, _ exponent: Int, modulo m: UInt64) -> UInt64 {
        var result = 1 % m
        var square = base % m
        var rest = exponent
        while rest > 0 {
            if rest & 1 == 1 { result = product(result, square, modulo: m) }
            square = product(square, square, modulo: m)
            rest >>= 1
        }
        return result
    }
}
