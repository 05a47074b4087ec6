internal import StorageProtocol

/// The range of a JSON string's text, between its quotes, and what is needed to read it.
struct KeyText {
    let range: Range<Int>
    /// No byte above 0x7F.
    let isASCII: Bool
    let hasEscapes: Bool

    /// ASCII without escapes: the text's bytes are its characters.
    var isPlain: Bool { isASCII && !hasEscapes }

    /// Finds the end of the string whose opening quote is at `offset`, and moves past it. Escapes and UTF-8 are checked
    /// later, when they are read.
    static func string(_ json: RawSpan, _ offset: inout Int) throws(StorageError) -> KeyText {
        let start = offset + 1
        var end = start
        var seen: UInt8 = 0
        var hasEscapes = false
        while end < json.byteCount {
            let byte = unsafe json.unsafeLoad(fromByteOffset: end, as: UInt8.self)
            if byte == UInt8(ascii: "\"") {
                offset = end + 1
                return KeyText(range: start..<end, isASCII: seen < 0x80, hasEscapes: hasEscapes)
            }
            guard byte >= 0x20 else { throw malformed("a string has a control character that is not escaped") }
            seen |= byte
            end += 1
            if byte == UInt8(ascii: "\\") {
                hasEscapes = true
                end += 1
            }
        }
        throw malformed("a string does not end")
    }

    /// Appends the text as bytes that sort as UTF-8 does: 0x00 and 0x01 become 0x01 0x01 and 0x01 0x02, and 0x00 ends
    /// it.
    func appendBytes(of json: RawSpan, to writer: inout KeyWriter) throws(StorageError) {
        if isPlain {
            writer.append(json.extracting(range))
            writer.append(0)
            return
        }
        var offset = range.lowerBound
        while offset < range.upperBound {
            let scalar = try KeyText.scalar(json, &offset, end: range.upperBound)
            if scalar.value < 2 {
                writer.append(1)
                writer.append(UInt8(truncatingIfNeeded: scalar.value + 1))
            } else {
                for byte in scalar.utf8 { writer.append(byte) }
            }
        }
        writer.append(0)
    }

    /// Writes the text as UTF-16 to a buffer that has room for `range.count` units.
    ///
    /// - Returns: The number of units written.
    func writeUTF16(of json: RawSpan, to buffer: UnsafeMutableBufferPointer<UInt16>) throws(StorageError) -> Int {
        var offset = range.lowerBound
        var count = 0
        while offset < range.upperBound {
            // A scalar never has more units than its text has bytes.
            let scalar = try KeyText.scalar(json, &offset, end: range.upperBound)
            if scalar.value < 0x10000 {
                unsafe buffer[count] = UInt16(truncatingIfNeeded: scalar.value)
                count += 1
            } else {
                unsafe buffer[count] = UTF16.leadSurrogate(scalar)
                unsafe buffer[count + 1] = UTF16.trailSurrogate(scalar)
                count += 2
            }
        }
        return count
    }

    /// Whether `json` has the ASCII text `expected` at `offset`.
    static func matches(_ expected: StaticString, _ json: RawSpan, _ offset: Int) -> Bool {
        let length = expected.utf8CodeUnitCount
        guard json.byteCount - offset >= length else { return false }
        for index in 0..<length {
            let byte = unsafe json.unsafeLoad(fromByteOffset: offset + index, as: UInt8.self)
            if unsafe byte != expected.utf8Start[index] { return false }
        }
        return true
    }

    static func malformed(_ fault: String) -> StorageError {
        StorageError(.badJSON, "The key is not JSON that can be ordered: \(fault).")
    }
}
