internal import SetteeDocumentValues
internal import StorageProtocol
internal import Testing

@Suite("JSON grammar")
struct JSONGrammarTests {
    static let accepted = [
        "null", "true", "false", "0", "-1", "1.5", "1e5", "1E+5", "1e-5", "\"\"", "[]", "{}", " [ ] ", "\t{\r\n}\n",
        "[1,2,3]", "[[],[[]]]", "{\"a\":{}}", "{\"\":\"\"}", "{\"a\":1,\"a\":2}", "[null,true,false]", "[-0]",
        "\"\\u0000\"", "\"\\uD800\\uDC00\"", "\"\\uDBFF\\uDFFF\"", "\"\\ud83d\\ude00\"", "\"\\uFFFF\"", "\"\u{FFFF}\"",
        "\"\u{10FFFF}\"", "\"\u{7F}\"", "\"\u{80}\"", "\"\u{FEFF}\"", "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"",
        "\"a\u{2028}b\"",
        "[\"\\\\\"]", "[\"\\\\\\\"\"]", "[0.1e-1]", "[123456789012345678]", "\"/\"", "{\"a\\\"b\":1}",
        "\"\\u005Cu0000\"", "[\"1234567\",\"12345678\",\"123456789\"]",
    ]

    @Test("accepted", arguments: accepted)
    func accepts(text: String) throws {
        let once = try canonical(text)
        #expect(try canonical(once) == once)
        #expect(try JSONValue(parsing: text).description == once)
    }

    static let refused = [
        "", " ", "\n", "[", "]", "{", "}", "[1", "[1,", "[1,]", "[,1]", "[,]", "[1 2]", "[1,,2]", "[1}", "{]", "[}",
        "{\"a\"", "{\"a\":", "{\"a\":1", "{\"a\":1,", "{\"a\":1,}", "{,}", "{\"a\" 1}", "{\"a\",1}", "{a:1}", "{1:1}",
        "{'a':1}", "{\"a\":1 \"b\":2}", "{\"a\"::1}", "{\"a\":1]", "{null:1}", "{[]:1}", "{\"a\":,}", "{:1}",
        "1 2", "1,", "[] []", "{}}", "[]]", "{} x", "nul", "nulll", "tru", "True", "TRUE", "fals", "falsee", "NaN",
        "Infinity", "-Infinity", "-", "+1", "--1", "01", "-01", "00", "1.", ".5", "-.5", "1.e5", "1e", "1e+", "1e-",
        "1E5.5", "0x10", "1_000", "1,000", "0e", "1.2.3", "1e5e5", "1a", "[1a]", "[-]", "[- 1]", "1 000",
        "\"", "\"abc", "\"\\\"", "\"\\", "\"\\x\"", "\"\\u\"", "\"\\u12\"", "\"\\u123\"", "\"\\u12G4\"", "\"\\U0041\"",
        "\"\\a\"", "\"\\'\"", "\"\\0\"", "\"\\\u{E9}\"", "\"a\nb\"", "\"a\tb\"", "\"\u{0}\"", "\"\u{1F}\"", "\"\\\n\"",
        "\"\\uD800\"", "\"\\uDC00\"", "\"\\uD800\\u0041\"", "\"\\uD800\\uD800\"", "\"\\uD800x\"", "\"\\uDC00\\uD800\"",
        "\"\\uD800\\\"", "\"\\uD800\\n\"", "\"\\uD83D\\uDE0\"", "{\"\\uD800\":1}",
        "\u{FEFF}{}", "\u{FEFF}", "[1]\u{0}", "\u{0}", "[\u{0}]", "\u{A0}1", "[1]\u{A0}", "\u{0C}1", "\u{0B}1",
        "//x\n1", "/*x*/1", "1//x", "#x", "'a'", "`a`", "[1,2,3", "undefined", "{\"a\":undefined}", "[\"a\",\n4\n,1,",
        "[\"a\" \"b\"]", "[\"a\":1]", "*", "<x/>", "[\u{201C}a\u{201D}]",
    ]

    @Test("refused", arguments: refused)
    func refuses(text: String) {
        var parser = JSONParser()
        do {
            try unsafe parser.parse(Array(text.utf8).span.bytes)
            Issue.record("accepted")
        } catch {
            #expect(error.code == .badJSON)
            #expect(error.message.contains("at byte "))
        }
        let root = parser.root
        #expect(root == nil)
        #expect(code { _ = try JSONValue(parsing: text) } == .badJSON)
        // The same inside something else.
        #expect(code { _ = try JSONValue(parsing: "{\"k\":[\(text)\u{1}]}") } == .badJSON)
    }

    /// Bytes that are not UTF-8 (Unicode, table 3-7).
    static let malformed: [[UInt8]] = [
        [0x80], [0xBF], [0xC0, 0x80], [0xC1, 0xBF], [0xC2], [0xC2, 0x41], [0xDF], [0xE0, 0x80, 0x80],
        [0xE0, 0x9F, 0xBF],
        [0xE1, 0x80], [0xE1, 0x80, 0x41], [0xE1, 0x41, 0x80], [0xED, 0xA0, 0x80], [0xED, 0xBF, 0xBF], [0xEF, 0xBF],
        [0xF0, 0x80, 0x80, 0x80], [0xF0, 0x8F, 0xBF, 0xBF], [0xF0, 0x90, 0x80], [0xF1, 0x80, 0x80, 0x41],
        [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xFF], [0xFE], [0xF8, 0x88, 0x80, 0x80, 0x80],
        [0xC2, 0xC2], [0xC3, 0xA9, 0xA9], [0xF0, 0x9F, 0x98, 0x80, 0x80],
    ]

    @Test("bytes that are not UTF-8 are refused", arguments: malformed)
    func encoding(bytes: [UInt8]) {
        let quote = UInt8(ascii: "\"")
        for padding in 0..<12 {
            let before = [UInt8](repeating: UInt8(ascii: "x"), count: padding)
            #expect(code { _ = try canonical([quote] + before + bytes + [quote]) } == .badJSON)
            #expect(code { _ = try canonical([quote] + before + bytes + before + [quote]) } == .badJSON)
            #expect(code { _ = try canonical([quote] + before + bytes) } == .badJSON)
        }
        #expect(code { _ = try canonical(bytes) } == .badJSON)
    }

    @Test("every scalar stands for itself, written raw or escaped")
    func scalars() throws {
        var samples: [UInt32] =
            Array(0x20...0x2FF) + [0x7FF, 0x800, 0xFFF, 0x1000, 0xCFFF, 0xD7FF, 0xE000, 0xFFFD, 0xFFFE]
        samples += [0xFFFF, 0x10000, 0x1F600, 0x3FFFF, 0x40000, 0xFFFFF, 0x100000, 0x10FFFF]
        for number in samples {
            let scalar = try #require(Unicode.Scalar(number))
            let text = String(Character(scalar))
            let escaped = text.utf16.map { "\\u" + String(0x10000 + Int($0), radix: 16).dropFirst() }.joined()
            let value = try JSONValue(parsing: "[\"\(escaped)\",\"xxxxxxx\(escaped)yyyyyyyyy\"]")
            #expect(value == [.string(text), .string("xxxxxxx\(text)yyyyyyyyy")])
            #expect(try JSONValue(parsing: value.canonicalBytes()) == value)
        }
    }

    @Test("every truncation of a text is refused")
    func truncation() {
        let text = Array(#"{"a":[1,-2.5e3,"x\u00e9\uD83D\uDE00é",true,false,null],"b":{"c":[{}]}}"#.utf8)
        for length in 0..<text.count {
            #expect(code { _ = try canonical(Array(text[..<length])) } == .badJSON, "\(length) bytes")
        }
        #expect(code { _ = try canonical(text) } == nil)
    }

    @Test("messages name the byte and do not quote the text")
    func message() {
        do {
            _ = try JSONValue(parsing: #"{"secret":"value","other" 1}"#)
            Issue.record("accepted")
        } catch {
            #expect(error.message.contains("at byte 26:"))
            #expect(!error.message.contains("secret") && !error.message.contains("value\""))
        }
    }

    @Test("texts over the limit are refused as too large")
    func length() throws {
        var parser = JSONParser(limit: 10)
        try unsafe parser.parse(Array("[1234567]".utf8).span.bytes)
        do {
            try unsafe parser.parse(Array("[123456789]".utf8).span.bytes)
            Issue.record("accepted")
        } catch {
            #expect(error.code == .tooLarge)
        }
        let root = parser.root
        #expect(root == nil)
        #expect(JSONParser().limit == 32 << 20)
    }

    @Test("strings of 10 MB are kept exactly")
    func largeString() throws {
        let plain = String(repeating: "0123456789abcdé\u{1F600}", count: 500_000)
        let value: JSONValue = [
            "text": .string(plain), "escaped": .string(String(repeating: "\n\"", count: 1_000_000)),
        ]
        let text = try value.canonicalBytes()
        #expect(try JSONValue(parsing: text) == value)
        #expect(try Array(canonical(text).utf8) == text)
    }
}
