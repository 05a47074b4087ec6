internal import StorageProtocol

/// A JSON number: (-1)^s · 2^exponent · 1.fraction. Exact for all values of Int64, UInt64 and Double; any other integer
/// is the nearest double.
struct KeyNumber: Equatable {
    private var isZero = true
    private var isNegative = false
    private var exponent = 0
    /// The 63 bits after the leading one, at the top of the word.
    private var fraction: UInt64 = 0

    /// Reads the number at `offset` and moves past it.
    ///
    /// - Throws: `StorageError` with `badJSON` (493) for text that is not a JSON number, or out of range.
    init(_ json: RawSpan, _ offset: inout Int) throws(StorageError) {
        let token = try NumberToken(json, &offset)
        if token.isInteger, token.isExact, !token.isNegative || token.digits <= 1 << 63 {
            self.init(magnitude: token.digits, isNegative: token.isNegative)
            return
        }
        guard let double = token.double(json), double.isFinite else {
            throw KeyText.malformed("a number is out of the range of doubles")
        }
        self.init(double)
    }

    /// Reads a text that is nothing but a whole number of at most 18 digits, as most are. Nil for any other.
    init?(whole json: RawSpan) {
        let count = json.byteCount
        guard 1...18 ~= count else { return nil }
        var magnitude: UInt64 = 0
        for offset in 0..<count {
            let digit = unsafe json.unsafeLoad(fromByteOffset: offset, as: UInt8.self) &- UInt8(ascii: "0")
            guard digit <= 9, magnitude > 0 || digit > 0 || count == 1 else { return nil }
            magnitude = magnitude &* 10 &+ UInt64(digit)
        }
        self.init(magnitude: magnitude, isNegative: false)
    }

    private init(magnitude: UInt64, isNegative: Bool) {
        guard magnitude != 0 else { return }
        let shift = magnitude.leadingZeroBitCount
        self.isZero = false
        self.isNegative = isNegative
        self.exponent = 63 - shift
        self.fraction = (magnitude << UInt64(shift)) << 1
    }

    private init(_ double: Double) {
        guard double != 0 else { return }
        self.isZero = false
        self.isNegative = double < 0
        self.exponent = Int(double.exponent)
        // 52 bits after the point. In a denormal number they include the leading one.
        let pattern = double.significandBitPattern
        self.fraction = double.isNormal ? pattern << 12 : (pattern << UInt64(pattern.leadingZeroBitCount)) << 1
    }

    private enum Lead {
        static let zero: UInt8 = 0x50
        /// Below 1: the exponent plus 1074 follows in two bytes.
        static let small: UInt8 = 0x51
        /// The exponents 0 to 63 are 0x52 to 0x91.
        static let medium: UInt8 = 0x52
        /// From 2^64: the exponent follows in two bytes.
        static let large: UInt8 = 0x92
    }

    /// Appends a lead byte for sign and exponent, then the fraction in groups of 7 bits. The lowest bit of each group
    /// tells whether another one follows. For a negative number, the lead is mirrored at that of zero and the other
    /// bytes are inverted.
    func append(to writer: inout KeyWriter) {
        if isZero {
            writer.append(Lead.zero)
            return
        }
        let inversion: UInt8 = isNegative ? 0xFF : 0
        let lead: UInt8
        var wideExponent: Int?
        switch exponent {
        case ..<0: (lead, wideExponent) = (Lead.small, exponent + 1074)
        case 0..<64: lead = Lead.medium + UInt8(truncatingIfNeeded: exponent)
        default: (lead, wideExponent) = (Lead.large, exponent)
        }
        writer.append(isNegative ? 2 * Lead.zero - lead : lead)
        if let wideExponent {
            writer.append(UInt8(truncatingIfNeeded: wideExponent >> 8) ^ inversion)
            writer.append(UInt8(truncatingIfNeeded: wideExponent) ^ inversion)
        }
        var rest = fraction
        repeat {
            let group = UInt8(truncatingIfNeeded: rest >> 57) << 1
            rest <<= 7
            writer.append((rest == 0 ? group : group | 1) ^ inversion)
        } while rest != 0
    }
}
