internal import Settee

/// A JSON object on one line, with its members in the order they were added.
struct JSONLine {
    private var text: [UInt8] = [UInt8(ascii: "{")]

    /// The line with its line feed.
    var bytes: [UInt8] { text + [UInt8(ascii: "}"), UInt8(ascii: "\n")] }
    /// The object without the line feed.
    var object: [UInt8] { text + [UInt8(ascii: "}")] }
    /// The object without its closing brace, so that more members can follow.
    var open: [UInt8] { text }

    consuming func string(_ name: String, _ value: String) -> JSONLine {
        member(name) { JSONLine.append(value, to: &$0) }
    }

    consuming func number(_ name: String, _ value: some BinaryInteger) -> JSONLine {
        member(name) { $0.append(contentsOf: String(value).utf8) }
    }

    consuming func bool(_ name: String, _ value: Bool) -> JSONLine {
        member(name) { $0.append(contentsOf: (value ? "true" : "false").utf8) }
    }

    consuming func strings(_ name: String, _ values: some Sequence<String>) -> JSONLine {
        member(name) { text in
            text.append(UInt8(ascii: "["))
            for (index, value) in values.enumerated() {
                if index > 0 { text.append(UInt8(ascii: ",")) }
                JSONLine.append(value, to: &text)
            }
            text.append(UInt8(ascii: "]"))
        }
    }

    consuming func objects(_ name: String, _ lines: [JSONLine]) -> JSONLine {
        member(name) { text in
            text.append(UInt8(ascii: "["))
            text.append(contentsOf: lines.map(\.object).joined(separator: [UInt8(ascii: ",")]))
            text.append(UInt8(ascii: "]"))
        }
    }

    /// Adds a member whose value is JSON text.
    consuming func json(_ name: String, _ value: [UInt8]) -> JSONLine {
        member(name) { $0.append(contentsOf: value) }
    }

    private consuming func member(_ name: String, _ value: (inout [UInt8]) -> Void) -> JSONLine {
        if text.count > 1 { text.append(UInt8(ascii: ",")) }
        JSONLine.append(name, to: &text)
        text.append(UInt8(ascii: ":"))
        value(&text)
        return self
    }

    private static func append(_ string: String, to text: inout [UInt8]) {
        text.append(UInt8(ascii: "\""))
        for byte in string.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"):
                text.append(UInt8(ascii: "\\"))
                text.append(byte)
            case 0..<0x20:
                let digits = String(byte, radix: 16)
                text.append(contentsOf: "\\u00\(digits.count == 1 ? "0" : "")\(digits)".utf8)
            default: text.append(byte)
            }
        }
        text.append(UInt8(ascii: "\""))
    }
}
