internal import StorageProtocol

@testable internal import SetteeDocumentValues

extension Collator {
    /// Unicode order without the ASCII table.
    static let icuOnly = Collator(strings: ICUStrings(usesASCIITable: false))

    func key(_ json: String) throws(StorageError) -> [UInt8] {
        try key(Array(json.utf8))
    }

    func key(_ json: [UInt8]) throws(StorageError) -> [UInt8] {
        var key: [UInt8] = []
        try unsafe encode(json.span.bytes, into: &key)
        return key
    }
}

func isWellFormed(_ key: [UInt8]) -> Bool {
    unsafe CollationKey.isWellFormed(key.span.bytes)
}

/// A JSON string of any text: only what must be escaped is.
func quoted(_ text: String) -> String {
    var json = "\""
    for scalar in text.unicodeScalars {
        switch scalar {
        case "\"": json += "\\\""
        case "\\": json += "\\\\"
        case _ where scalar.value < 0x20:
            let digits = String(scalar.value, radix: 16)
            json += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        default: json.unicodeScalars.append(scalar)
        }
    }
    return json + "\""
}
