/// Percent escapes (RFC 3986, section 2.1). What stands for text is UTF-8.
package enum PercentCoding {
    /// Replaces escapes by their bytes.
    ///
    /// - Parameter plusIsSpace: As in queries.
    /// - Throws: `bad_request` (400) for an incomplete escape, and if the result is not UTF-8.
    /// - Complexity: O(bytes).
    package static func decode(_ bytes: ArraySlice<UInt8>, plusIsSpace: Bool = false) throws(CouchError) -> String {
        var text: [UInt8] = []
        text.reserveCapacity(bytes.count)
        var place = bytes.startIndex
        while place < bytes.endIndex {
            let byte = bytes[place]
            if byte == ASCII.percent {
                guard bytes.endIndex - place > 2, let high = ASCII.hexadecimal(bytes[place + 1]),
                    let low = ASCII.hexadecimal(bytes[place + 2])
                else { throw .badRequest("A percent sign must be followed by two hexadecimal digits.") }
                text.append(high << 4 | low)
                place += 3
            } else {
                text.append(plusIsSpace && byte == UInt8(ascii: "+") ? ASCII.space : byte)
                place += 1
            }
        }
        guard let decoded = String(validating: text, as: UTF8.self) else {
            throw .badRequest("The URL is not UTF-8.")
        }
        return decoded
    }

    /// Escapes all bytes but letters, digits, `-`, `.`, `_` and `~`. The result can stand in paths, queries and in
    /// `filename*`.
    package static func encode(_ text: String) -> String {
        var encoded: [UInt8] = []
        encoded.reserveCapacity(text.utf8.count)
        let digits = Array("0123456789ABCDEF".utf8)
        for byte in text.utf8 {
            if ASCII.isLetter(byte) || ASCII.isDigit(byte) || "-._~".utf8.contains(byte) {
                encoded.append(byte)
            } else {
                encoded.append(ASCII.percent)
                encoded.append(digits[Int(byte >> 4)])
                encoded.append(digits[Int(byte & 0x0F)])
            }
        }
        return String(decoding: encoded, as: UTF8.self)
    }
}
