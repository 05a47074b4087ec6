/// Converts bytes to lower-case hexadecimal digits and back.
package enum Hexadecimal {
    package static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) || (0x61...0x66).contains(byte) }

    package static func text(_ bytes: some Sequence<UInt8>) -> [UInt8] {
        let digits = Array("0123456789abcdef".utf8)
        return bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
    }

    /// Returns the bytes of a text; nil if it has other characters, or half a byte.
    static func bytes(_ text: String) -> [UInt8]? {
        let digits = Array(text.utf8)
        guard digits.count.isMultiple(of: 2), digits.allSatisfy(isDigit) else { return nil }
        func value(_ digit: UInt8) -> UInt8 { digit < 0x3A ? digit - 0x30 : digit - 0x57 }
        return stride(from: 0, to: digits.count, by: 2).map { value(digits[$0]) << 4 | value(digits[$0 + 1]) }
    }
}
