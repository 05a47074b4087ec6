/// Adds canonical JSON to bytes.
package enum JSONText {
    package static func append(_ string: String, to bytes: inout [UInt8]) {
        var string = string
        bytes.append(UInt8(ascii: "\""))
        string.withUTF8 { text in
            // Most texts have nothing to escape.
            let isPlain = unsafe text.allSatisfy { $0 >= 0x20 && $0 != 0x22 && $0 != 0x5C }
            if isPlain {
                unsafe bytes.append(contentsOf: text)
            } else {
                unsafe text.forEach { JSONEscape.append($0, to: &bytes) }
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }
}
