/// Tests of single bytes of headers and targets.
enum ASCII {
    static let carriageReturn = UInt8(ascii: "\r")
    static let lineFeed = UInt8(ascii: "\n")
    static let space = UInt8(ascii: " ")
    static let tab = UInt8(ascii: "\t")
    static let quote = UInt8(ascii: "\"")
    static let backslash = UInt8(ascii: "\\")
    static let semicolon = UInt8(ascii: ";")
    static let comma = UInt8(ascii: ",")
    static let equals = UInt8(ascii: "=")
    static let dash = UInt8(ascii: "-")
    static let percent = UInt8(ascii: "%")

    static func isDigit(_ byte: UInt8) -> Bool { byte &- 0x30 < 10 }
    static func isLetter(_ byte: UInt8) -> Bool { (byte | 0x20) &- 0x61 < 26 }
    static func isBlank(_ byte: UInt8) -> Bool { byte == space || byte == tab }
    /// Controls other than the tab. None may be in a header's value.
    static func isControl(_ byte: UInt8) -> Bool { (byte < 0x20 && byte != tab) || byte == 0x7F }

    /// A character of a token (RFC 9110, section 5.6.2).
    static func isToken(_ byte: UInt8) -> Bool {
        isDigit(byte) || isLetter(byte) || "!#$%&'*+-.^_`|~".utf8.contains(byte)
    }

    static func lowercase(_ byte: UInt8) -> UInt8 { byte &- 0x41 < 26 ? byte | 0x20 : byte }

    /// The text with its letters A to Z made small.
    static func lowercase(_ text: some Sequence<UInt8>) -> String {
        String(decoding: text.map { lowercase($0) }, as: UTF8.self)
    }

    /// The value of a hexadecimal digit, nil for other bytes.
    static func hexadecimal(_ byte: UInt8) -> UInt8? {
        if isDigit(byte) { return byte & 0x0F }
        let letter = (byte | 0x20) &- 0x61
        return letter < 6 ? letter + 10 : nil
    }

    /// The bytes without blanks at both ends.
    static func trimmed(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var bytes = bytes
        while let first = bytes.first, isBlank(first) { bytes.removeFirst() }
        while let last = bytes.last, isBlank(last) { bytes.removeLast() }
        return bytes
    }

    /// Whether two texts have the same bytes. `String` calls composed and decomposed characters equal.
    static func isSame(_ a: String, _ b: String) -> Bool { a.utf8.elementsEqual(b.utf8) }

    /// The number that decimal digits write: the highest there is if it is too large, nil for other texts.
    static func number(_ digits: some Collection<UInt8>) -> UInt64? {
        guard !digits.isEmpty else { return nil }
        var number: UInt64 = 0
        for digit in digits {
            guard isDigit(digit) else { return nil }
            let (product, overflow) = number.multipliedReportingOverflow(by: 10)
            let (sum, overflows) = product.addingReportingOverflow(UInt64(digit & 0x0F))
            number = overflow || overflows ? .max : sum
        }
        return number
    }
}
