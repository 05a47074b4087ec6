internal import SetteeDocumentValues
internal import StorageProtocol
internal import Testing

/// Where the parser looks at many bytes in one step: every place in a step, and the end of its blocks.
@Suite("JSON at the edges of blocks")
struct JSONBlockTests {
    /// The code and the byte of the error that reading a text throws, nil if it is accepted.
    private func fault(_ text: [UInt8], _ parser: inout JSONParser) -> (byte: Int, reason: String)? {
        do {
            try unsafe parser.parse(text.span.bytes)
            return nil
        } catch {
            let parts = error.message.split(separator: ":", maxSplits: 1).map(String.init)
            let byte = parts[0].split(separator: " ").last.flatMap { Int($0) }
            return (byte ?? -1, parts.last ?? "")
        }
    }

    @Test("every byte at every place of a string is taken for what it is", arguments: [false, true])
    func bytes(isName: Bool) {
        var parser = JSONParser()
        for length in 1...35 {
            for place in 0..<length {
                for byte in UInt8.min...UInt8.max where byte != UInt8(ascii: "\\") {
                    var text = [UInt8](repeating: UInt8(ascii: "x"), count: length)
                    text[place] = byte
                    text = Array((isName ? "{\"" : "[\"").utf8) + text + Array((isName ? "\":1}" : "\"]").utf8)
                    let found = fault(text, &parser)
                    switch byte {
                    // A quote ends the string, and what follows it is wrong.
                    case UInt8(ascii: "\""): #expect(found?.byte == place + 3, "\(length) \(place)")
                    case 0x20..<0x80: #expect(found == nil, "\(length) \(place) \(byte)")
                    default: #expect(found?.byte == place + 2, "\(length) \(place) \(byte)")
                    }
                }
            }
        }
    }

    /// Ends of texts: what is read last decides whether something behind the text is looked at.
    static let ends = [
        "\"", "\"x", "\"\\", "\"\\u", "\"\\u1", "\"\\u12", "\"\\u123", "\"\\u1234", "\"\\uD83D", "\"\\uD83D\\",
        "\"\\uD83D\\u", "\"\\uD83D\\uDE0", "\"\u{E9}", "1", "12345678", "123456789", "-", "1.", "1.5", "1e", "1e5", "t",
        "tru", "true", "fals", "false", "nul", "null", "{", "{\"", "{\"x", "{\"x\"", "{\"x\":", "{\"x\" :", "{\"x\":1",
        "{\"x\":1,", "{\"x\":\"", "{\"x\":\"y\"", "[", "[1", "[1,", "[\"y\"", "[\"y\",", " ", "",
    ]

    @Test("the end of a text is the same wherever the block ends")
    func ends() {
        for end in JSONBlockTests.ends.map({ Array($0.utf8) }) {
            var parser = JSONParser()
            let short = fault(Array("[\"\",".utf8) + end, &parser)
            // The parser's first block, and the one that it grows to.
            for size in Array(2000...2100) + Array(4080...4120) {
                let count = size - end.count - 4
                let text = Array("[\"".utf8) + [UInt8](repeating: UInt8(ascii: "y"), count: count) + Array("\",".utf8)
                var fresh = JSONParser()
                let found = fault(text + end, &fresh)
                #expect(found?.byte == short.map { $0.byte + count }, "\(String(decoding: end, as: UTF8.self)) \(size)")
                #expect(found?.reason == short?.reason)
                // What an earlier text has left behind the end is not seen.
                _ = fault(text + end + Array("\"}]123456789".utf8), &fresh)
                let again = fault(text + end, &fresh)
                #expect(again?.byte == found?.byte && again?.reason == found?.reason)
            }
        }
    }

    @Test("complete texts of every size are kept and rewritten")
    func sizes() throws {
        for size in Array(0...300) + Array(2000...2100) {
            let long = String(repeating: "z", count: size)
            #expect(try canonical("{\"b\":\"\(long)\",\"a\":1}") == "{\"a\":1,\"b\":\"\(long)\"}")
            #expect(
                try canonical("{\"\(long)\":2,\"a\":1}") == (size == 0 ? "{\"\":2,\"a\":1}" : "{\"a\":1,\"\(long)\":2}")
            )
            #expect(try canonical("[ \"\(long)\",1e3,\"\\/\(long)\"]") == "[\"\(long)\",1000,\"/\(long)\"]")
        }
    }

    @Test("whole numbers of every length are told apart")
    func digits() throws {
        for first in ["1", "9", "18446744073709551615", "18446744073709551616", "9223372036854775808"] {
            for count in 0...24 {
                let text = first + String(repeating: "7", count: count)
                for sign in ["", "-"] {
                    let number = sign + text
                    #expect(try canonical("[" + number + "]") == "[\(number)]")
                    #expect(try canonical(number) == number)
                    let value = try JSONValue(parsing: number)
                    if let int = Int64(number) {
                        #expect(value == .int(int))
                    } else if sign.isEmpty, let uint = UInt64(number) {
                        #expect(value == .uint(uint))
                    } else {
                        #expect(try value == .longInteger(#require(JSONLongInteger(number))))
                    }
                }
                // After the point, the canonical text is that of the nearest double.
                let double = Double("0." + text)
                #expect(try JSONValue(parsing: "0." + text).doubleValue == double)
            }
        }
    }
}
