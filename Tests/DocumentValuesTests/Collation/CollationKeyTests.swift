internal import StorageProtocol
internal import Testing

@testable internal import SetteeDocumentValues

@Suite struct CollationKeyTests {
    /// Golden bytes of everything but ICU's part: they must never change without another version.
    @Test(arguments: [
        ("null", "02", "a2"), ("false", "03", "a1"), ("true", "04", "a3"), ("[]", "a7 00", "a5 00"),
        ("{}", "a8 00", "a4 00"), ("[[],[null]]", "a7 a700 a70200 00", "a5 a500 a5a200 00"),
        ("[1,{},[true,-1]]", "a7 5200 a800 a7044eff00 00", "a5 5200 a400 a5a34eff00 00"),
    ])
    func structureHasGoldenBytes(json: String, unicode: String, raw: String) throws {
        #expect(try HexText(Collator.unicode.key(json)) == HexText(stringLiteral: unicode))
        #expect(try HexText(Collator.raw.key(json)) == HexText(stringLiteral: raw))
    }

    @Test(arguments: [
        (#""""#, "a6 00"), (#""ab""#, "a6 6162 00"), (#""\u0000\u0001\u0002""#, "a6 0101 0102 02 00"),
        (#""\#u{e9}\u20ac""#, "a6 c3a9 e282ac 00"), (#"{"a":1,"":[]}"#, "a4 a66100 5200 a600 a500 00"),
    ])
    func rawStringsHaveGoldenBytes(json: String, bytes: String) throws {
        #expect(try HexText(Collator.raw.key(json)) == HexText(stringLiteral: bytes))
    }

    @Test func unicodeStringsAreICUsKeysUpToTheirZero() throws {
        for text in CollationOrderTests.strings {
            let key = try Collator.unicode.key(quoted(text))
            #expect(key.first == 0xA6 && key.last == 0)
            #expect(!key.dropLast().contains(0))
            #expect(try Collator.unicode.key("[\(quoted(text))]") == [0xA7] + key + [0])
            #expect(try Collator.unicode.key("{\(quoted(text)):null}") == [0xA8] + key + [0x02, 0])
        }
    }

    @Test func keysAreAppended() throws {
        var key: [UInt8] = [7]
        try unsafe Collator.raw.encode(Array("null".utf8).span.bytes, into: &key)
        #expect(key == [7, 0xA2])
        #expect(throws: StorageError.self) {
            try unsafe Collator.raw.encode(Array("[null".utf8).span.bytes, into: &key)
        }
        #expect(key == [7, 0xA2])
    }

    static let malformed: [[UInt8]] =
        [
            "", " ", "nul", "nulL", "True", "[", "[1", "[1,", "[1,]", "[,1]", "[1 2]", "]", "}", "{", "{\"a\"",
            "{\"a\":",
            "{\"a\":1", "{\"a\":1,", "{\"a\":1,}", "{a:1}", "{1:1}", "{\"a\" 1}", "{,}", "[}", "{]", "{\"a\"}",
            "null null",
            "[]]", "1,", "\"", "\"a", "\"\\\"", "\"\\x\"", "\"\\u12\"", "\"\\u12g4\"", "\"\\ud800\"", "\"\\udc00\"",
            "\"\\ud800a\"", "\"\\ud800\\u0041\"", "\"\\ud800\\ud800\"", "\"\\ud800\\\"", "\"a\nb\"", "\"\u{1f}\"",
            "'a'",
            "\u{feff}1", "\u{a0}1", "\u{0}", "1\u{0}", "// a", "[1,[2,[3]]", "{\"a\":{\"b\":}}",
        ].map { (text: String) in Array(text.utf8) } + [
            [0x22, 0xFF, 0x22], [0x22, 0xC3, 0x22], [0x22, 0xC0, 0xAF, 0x22], [0x22, 0xED, 0xA0, 0x80, 0x22],
            [0x22, 0xF4, 0x90, 0x80, 0x80, 0x22], [0x22, 0xE0, 0x80, 0x80, 0x22], [0x22, 0xE2, 0x82, 0x22],
            [0x22, 0xE2, 0x82],
            [0x22, 0xF0, 0x80, 0x80, 0x80, 0x22], [0x22, 0x80, 0x22], [0xFF],
        ]

    @Test(arguments: malformed)
    func malformedTextIsRefused(json: [UInt8]) {
        for collator in [Collator.unicode, .raw] {
            #expect(code { () throws(StorageError) in try collator.key(json) } == .badJSON)
        }
    }

    @Test func nestingHasALimit() throws {
        for (open, close) in [("[", "]"), (#"{"a":"#, "}")] {
            func nested(_ depth: Int) -> String {
                String(repeating: open, count: depth - 1) + (open == "[" ? "[]" : "{}")
                    + String(repeating: close, count: depth - 1)
            }
            for collator in [Collator.unicode, .raw] {
                for depth in [1, 63, 64, 65, 128, 129, 512] {
                    #expect(try isWellFormed(collator.key(nested(depth))))
                }
                #expect(code { () throws(StorageError) in try collator.key(nested(513)) } == .badJSON)
                let endless = String(repeating: open, count: 100_000)
                #expect(code { () throws(StorageError) in try collator.key(endless) } == .badJSON)
            }
        }
        // What follows deep nesting still counts.
        let deep = String(repeating: "[", count: 200) + String(repeating: "]", count: 200)
        #expect(code { () throws(StorageError) in try Collator.raw.key(#"{"a":\#(deep)]"#) } == .badJSON)
        #expect(code { () throws(StorageError) in try Collator.raw.key(#"{"a":\#(deep)}"#) } == nil)
    }

    @Test func keysHaveALimit() throws {
        let most = Collator.maximumKeyLength - 2
        let longest = try Collator.raw.key("\"" + String(repeating: "x", count: most) + "\"")
        #expect(longest.count == Collator.maximumKeyLength && isWellFormed(longest))
        #expect(
            code { () throws(StorageError) in
                try Collator.raw.key("\"" + String(repeating: "x", count: most + 1) + "\"")
            } == .tooLarge
        )
        for text in ["x", "\u{4e00}"] {
            let json = "\"" + String(repeating: text, count: 1_100_000) + "\""
            #expect(code { () throws(StorageError) in try Collator.unicode.key(json) } == .tooLarge)
        }
        let many = "[" + String(repeating: "1,", count: 600_000) + "1]"
        #expect(code { () throws(StorageError) in try Collator.unicode.key(many) } == .tooLarge)
        // Long, and within the limit.
        for collator in [Collator.unicode, .icuOnly] {
            let json = "\"" + String(repeating: "xY", count: 100_000) + "\""
            #expect(try isWellFormed(collator.key(json)))
        }
    }

    @Test func versionsNameWhatKeysDependOn() throws {
        let unicode = try Collator.unicode.version
        #expect(unicode.wholeMatch(of: /settee-1\/icu-\d+\.\d+\.\d+\.\d+\/ucol-\d+\.\d+\.\d+\.\d+/) != nil)
        #expect(try Collator.raw.version == "settee-1/raw")
    }

    @Test func manyThreadsMakeTheSameKeys() async throws {
        let json = CollationOrderTests.strings.map(quoted)
        let expected = try json.map { try Collator.unicode.key($0) }
        try await withThrowingTaskGroup(of: [[UInt8]].self) { group in
            for _ in 0..<8 {
                group.addTask {
                    var keys: [[UInt8]] = []
                    for _ in 0..<50 { keys = try json.map { try Collator.unicode.key($0) } }
                    return keys
                }
            }
            for try await keys in group { #expect(keys == expected) }
        }
    }

    private func code(_ body: () throws(StorageError) -> [UInt8]) -> StorageError.Code? {
        do throws(StorageError) {
            _ = try body()
            return nil
        } catch {
            return error.code
        }
    }
}
