/// The strings of a TXT record, `key=value` each (RFC 6763, section 6).
struct ServiceTexts {
    private let texts: [[UInt8]]

    init(_ texts: [[UInt8]]) { self.texts = texts }

    /// Returns the value of a key. Upper and lower case are the same in keys, and the first of several counts.
    ///
    /// - Returns: `missing` if there is no such key; nil for a key without a value, and for a value that is not UTF-8.
    func value(of key: String, or missing: String) -> String? {
        for text in texts {
            let parts = text.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            guard parts[0].lazy.map(ServiceTexts.lowercased).elementsEqual(key.utf8) else { continue }
            return parts.count == 2 ? String(validating: parts[1], as: UTF8.self) : nil
        }
        return missing
    }

    private static func lowercased(_ byte: UInt8) -> UInt8 {
        UInt8(ascii: "A")...UInt8(ascii: "Z") ~= byte ? byte | 0x20 : byte
    }
}
