/// Reads a header's value from left to right.
struct HeaderScanner {
    private let bytes: [UInt8]
    private var place = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    var isAtEnd: Bool { place == bytes.count }
    var next: UInt8? { isAtEnd ? nil : bytes[place] }

    mutating func skipBlanks() { _ = take { ASCII.isBlank($0) } }

    /// Takes the next byte if it is `byte`.
    mutating func takeIf(_ byte: UInt8) -> Bool {
        guard next == byte else { return false }
        place += 1
        return true
    }

    /// Takes the bytes up to the first that does not fulfil the condition.
    mutating func take(while condition: (UInt8) -> Bool) -> ArraySlice<UInt8> {
        let start = place
        while let byte = next, condition(byte) { place += 1 }
        return bytes[start..<place]
    }

    /// Takes a value in quotes, or the bytes that fulfil the condition.
    ///
    /// - Throws: `bad_request` (400) if the quotes do not end, or the value is not UTF-8.
    mutating func takeValue(while condition: (UInt8) -> Bool) throws(CouchError) -> String {
        let value = next == ASCII.quote ? try takeQuoted() : Array(take(while: condition))
        guard let text = String(validating: value, as: UTF8.self) else {
            throw .badRequest("A header is not UTF-8.")
        }
        return text
    }

    /// Takes a text in quotes (RFC 9110, section 5.6.4).
    private mutating func takeQuoted() throws(CouchError) -> [UInt8] {
        var text: [UInt8] = []
        place += 1
        while let byte = next {
            place += 1
            if byte == ASCII.quote { return text }
            if byte == ASCII.backslash {
                guard let escaped = next else { break }
                text.append(escaped)
                place += 1
            } else {
                text.append(byte)
            }
        }
        throw .badRequest("A header has a quote without its end.")
    }
}
