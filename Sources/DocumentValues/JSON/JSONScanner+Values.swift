extension JSONScanner {
    /// Returns the bytes of the member `name` of an object, or nil if there is none.
    ///
    /// - Complexity: As `range(of:in:)`.
    package static func range(ofMember name: String, in text: RawSpan) -> Range<Int>? {
        let token = JSONPointer.Token(name: name)
        return unsafe text.withUnsafeBytes { bytes in
            guard let bytes = unsafe CanonicalBytes(bytes) else { return nil }
            let start = bytes.position(of: token, in: 0)
            return start < 0 ? nil : bytes.range(ofValueAt: start)
        }
    }

    /// Whether there is no value at `pointer` because an object on the way, or at its end, lacks the member.
    package static func isAbsent(_ pointer: JSONPointer, in text: RawSpan) -> Bool {
        unsafe text.withUnsafeBytes { bytes in
            guard let bytes = unsafe CanonicalBytes(bytes) else { return false }
            var start = 0
            for token in pointer.tokens {
                let next = bytes.position(of: token, in: start)
                if next < 0 { return bytes[start] == UInt8(ascii: "{") }
                start = next
            }
            return false
        }
    }

    /// Returns the value of a canonical text; nil if it is damaged, which `Database.check` finds.
    ///
    /// - Complexity: O(bytes); short texts and integers are read without a parser.
    package static func value(_ text: RawSpan) -> JSONValue? {
        let count = text.byteCount
        guard count > 0 else { return nil }
        switch unsafe text.unsafeLoad(fromByteOffset: 0, as: UInt8.self) {
        case UInt8(ascii: "n"): return .null
        case UInt8(ascii: "t"): return .bool(true)
        case UInt8(ascii: "f"): return .bool(false)
        case UInt8(ascii: "\""):
            if let string = plainString(text) { return .string(string) }
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"):
            if let number = shortInteger(text) { return .int(number) }
        default: break
        }
        // Not `try?` in a condition, where nil would become JSON's null.
        guard let value = try? JSONValue(parsing: text) else { return nil }
        return value
    }

    /// Returns a string without escapes.
    private static func plainString(_ text: RawSpan) -> String? {
        let inner = text.extracting(1..<max(1, text.byteCount - 1))
        return unsafe inner.withUnsafeBytes { bytes in
            for index in 0..<bytes.count where unsafe bytes[index] == UInt8(ascii: "\\") { return nil }
            return unsafe String(decoding: bytes, as: UTF8.self)
        }
    }

    /// Returns a whole number of up to 18 digits.
    private static func shortInteger(_ text: RawSpan) -> Int64? {
        guard text.byteCount <= 19 else { return nil }
        return unsafe text.withUnsafeBytes { bytes in
            let isNegative = unsafe bytes[0] == UInt8(ascii: "-")
            guard bytes.count - (isNegative ? 1 : 0) <= 18 else { return nil }
            var number: Int64 = 0
            for index in (isNegative ? 1 : 0)..<bytes.count {
                let digit = unsafe bytes[index] &- UInt8(ascii: "0")
                guard digit < 10 else { return nil }
                number = number &* 10 &+ Int64(digit)
            }
            return isNegative ? -number : number
        }
    }
}

extension JSONPointer {
    /// The special property that is not part of a stored text, if the pointer names one and nothing else.
    package var specialName: String? {
        guard tokens.count == 1 else { return nil }
        let name = tokens[0].name
        for special in ["_id", "_rev", "_local_seq", "_conflicts"] where special.utf8.elementsEqual(name.utf8) {
            return special
        }
        return nil
    }

    /// Whether it names the whole value.
    package var isWhole: Bool { tokens.isEmpty }
}
