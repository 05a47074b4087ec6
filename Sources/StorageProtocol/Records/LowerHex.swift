/// Converts lower-case hexadecimal digits, eight at a time in one word. The first digit is the most significant.
enum LowerHex {
    private static let ones: UInt64 = 0x0101_0101_0101_0101

    /// Returns the text of `value` as a big-endian word.
    static func text(of value: UInt32) -> UInt64 {
        var nibbles = UInt64(value)
        nibbles = (nibbles | nibbles << 16) & 0x0000_FFFF_0000_FFFF
        nibbles = (nibbles | nibbles << 8) & 0x00FF_00FF_00FF_00FF
        nibbles = (nibbles | nibbles << 4) & 0x0F0F_0F0F_0F0F_0F0F
        return text(ofNibbles: nibbles)
    }

    /// Returns the value of eight digits in a big-endian word, or nil if one is not a lower-case digit.
    static func value(of text: UInt64) -> UInt32? {
        let letters = (text >> 6) & ones
        var nibbles = (text & 0x0F0F_0F0F_0F0F_0F0F) &+ letters &* 9
        // Writing the digits again distinguishes '0'-'9' and 'a'-'f' from everything else, once no nibble exceeds 15.
        guard nibbles & 0xF0F0_F0F0_F0F0_F0F0 == 0, self.text(ofNibbles: nibbles) == text else { return nil }
        nibbles = (nibbles | nibbles >> 4) & 0x00FF_00FF_00FF_00FF
        nibbles = (nibbles | nibbles >> 8) & 0x0000_FFFF_0000_FFFF
        return UInt32(truncatingIfNeeded: nibbles | nibbles >> 16)
    }

    private static func text(ofNibbles nibbles: UInt64) -> UInt64 {
        let letters = ((nibbles &+ 6 &* ones) >> 4) & ones
        return nibbles &+ 0x30 &* ones &+ letters &* 39
    }
}
