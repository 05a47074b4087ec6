import SetteeDocumentValues
import SetteeJSONSchema
import StorageProtocol
import Testing

/// What the official tests leave open: exact numbers, regular expressions, formats, types that are schemas.
@Suite struct KeywordTests {
    /// Expects a schema to accept some values and to refuse others.
    private func expect(
        _ schema: JSONValue,
        accepts good: [JSONValue],
        refuses bad: [JSONValue],
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let compiled = try JSONSchema(schema)
        for value in good { #expect(compiled.isValid(value), "\(value)", sourceLocation: sourceLocation) }
        for value in bad { #expect(!compiled.isValid(value), "\(value)", sourceLocation: sourceLocation) }
    }

    @Test func aTypeMayBeASchema() throws {
        let schema: JSONValue = [
            "type": [
                [
                    "type": "object", "required": ["amount"],
                    "properties": ["_deleted": ["not": [:]], "amount": ["type": "number"]],
                ],
                ["type": "object", "required": ["_deleted"], "properties": ["_deleted": ["enum": [true]]]],
                "null",
            ]
        ]
        try expect(
            schema,
            accepts: [["amount": 1], ["_deleted": true], ["_deleted": true, "amount": "x"], nil],
            refuses: [["amount": "x"], [:], ["_deleted": false], 1]
        )
        try JSONSchema(schema).selfValidate()
        let failures = try JSONSchema(schema).failures(in: ["amount": "x"])
        #expect(failures.map(\.keyword) == ["type"])
        #expect(failures.first?.causes.map(\.keyword) == ["type", "required"])
    }

    @Test func integersOutsideOf64BitsAreNumbers() throws {
        let long = Int128(UInt64.max) * 1000
        let one: JSONValue = (long + 1).jsonValue
        try expect(["type": "integer"], accepts: [long.jsonValue, (-long).jsonValue], refuses: [])
        try expect(["maximum": long.jsonValue], accepts: [long.jsonValue, 1, 1e21], refuses: [one, 1e300])
        try expect(
            ["enum": [one, 1e20]],
            accepts: [one, (Int128(10_000_000_000) * 10_000_000_000).jsonValue],
            refuses: [long.jsonValue]
        )
        let ten = try JSONValue(parsing: "1" + String(repeating: "0", count: 300))
        try expect(
            ["multipleOf": 10],
            accepts: [long.jsonValue, ten],
            refuses: [try JSONValue(parsing: "10000000000000000001")]
        )
    }

    @Test func numbersAreComparedByValue() throws {
        let limit: JSONValue = .int(9_007_199_254_740_993)
        try expect(["maximum": limit], accepts: [limit, 9_007_199_254_740_992.0], refuses: [9_007_199_254_740_994.0])
        try expect(
            ["minimum": limit, "exclusiveMinimum": true],
            accepts: [.int(9_007_199_254_740_994), 9_007_199_254_740_994.0, .uint(.max), 1e300],
            refuses: [limit, 9_007_199_254_740_992.0, -1e300, 0.5]
        )
        try expect(["maximum": -0.5], accepts: [-1, -0.5, -1e300], refuses: [0, -0.25, .int(.max)])
        try expect(["maximum": .uint(.max)], accepts: [.uint(.max), 1e19], refuses: [18_446_744_073_709_551_616.0])
        try expect(
            ["enum": [9_007_199_254_740_992.0, 1]],
            accepts: [.int(9_007_199_254_740_992), 1.0],
            refuses: [.int(9_007_199_254_740_993), true]
        )
        try expect(
            ["uniqueItems": true],
            accepts: [[.int(.max), .double(0x1p63), .uint(1 << 63 + 1)], [1, true, "1", [1]]],
            refuses: [[.uint(1 << 63), .double(0x1p63)], [["a": [1.0]], ["a": [1]]], [0.0, -0.0]]
        )
        try expect(["type": "integer"], accepts: [1, 1.0, 1e20, .uint(.max), -0.0], refuses: [1.5, 1e-9])
    }

    @Test func multiplesAreExact() throws {
        try expect(["multipleOf": 0.01], accepts: [4.35, 0.29, 1_000_000.07, 1e15, -1.1], refuses: [0.001, 1.005])
        try expect(["multipleOf": 0.1], accepts: [0.3, 0.7, 1e308], refuses: [0.35, .double(.leastNonzeroMagnitude)])
        try expect(["multipleOf": 3], accepts: [.uint(.max), 0, -9], refuses: [1e20, 10, .int(.min)])
        try expect(
            ["multipleOf": .double(.leastNonzeroMagnitude)],
            accepts: [.double(.leastNonzeroMagnitude), 1],
            refuses: []
        )
        try expect(["multipleOf": 1e308], accepts: [1e308, 0], refuses: [1, 1e307])
        try expect(["multipleOf": .int(.max)], accepts: [.int(.max), .int(-.max)], refuses: [.int(.min), 1])
    }

    @Test func lengthsAreInCharacters() throws {
        try expect(["maxLength": 2], accepts: ["", "ab", "💩💩", "é"], refuses: ["e\u{301}x", "💩💩💩"])
        try expect(["minLength": 2], accepts: ["ab", "e\u{301}", "💩💩"], refuses: ["é", "💩", ""])
    }

    @Test func namesAreBytes() throws {
        let composed = "caf\u{e9}"
        let decomposed = "cafe\u{301}"
        try expect(
            ["properties": [composed: ["type": "null"]], "additionalProperties": false],
            accepts: [[composed: nil]],
            refuses: [[decomposed: nil], [composed: 1]]
        )
        try expect(["required": [.string(composed)]], accepts: [[composed: 1]], refuses: [[decomposed: 1]])
        try expect(["enum": [.string(composed)]], accepts: [.string(composed)], refuses: [.string(decomposed)])
        try expect(["uniqueItems": true], accepts: [[.string(composed), .string(decomposed)]], refuses: [])
    }

    @Test(arguments: [
        ("^abc$", ["abc"], ["abc\n", "xabc", "abcx"]),
        (#"^\d$"#, ["7"], ["\u{0967}", "a"]),
        (#"^\D$"#, ["\u{0967}", "a"], ["7"]),
        (#"^\w+$"#, ["a_9Z"], ["é", "-"]),
        (#"^[\W]$"#, ["é"], ["a"]),
        (#"^\s$"#, [" ", "\u{B}", "\u{A0}", "\u{FEFF}", "\u{2028}"], ["a", ""]),
        ("^.$", ["a", "\u{85}", "💩"], ["\n", "\r", "\u{2028}"]),
        (#"\bcat\b"#, ["a cat.", "écat"], ["cats"]),
        ("^[[&^]$", ["[", "&", "^"], ["]", "x"]),
        ("^[a&&b]$", ["a", "b", "&"], ["c"]),
        ("^[-a]$", ["-", "a"], ["b"]),
        ("^[^-a]$", ["b"], ["-", "a"]),
        (#"^[\[-a]$"#, ["[", "_", "a"], ["-", "b"]),
        (#"^[\d-x]$"#, ["1", "-", "x"], ["a"]),
        ("^a{2}$", ["aa"], ["a", "a{2}"]),
        ("^a{2,}$", ["aaa"], ["a"]),
        ("^a{$", ["a{"], ["a"]),
        ("^{a}]$", ["{a}]"], ["a"]),
        (#"^\x41\u0042\cA\0$"#, ["AB\u{1}\0"], ["AB"]),
        (#"^\u{1F4A9}$"#, ["💩"], ["u"]),
        (#"^\ud83d\udca9$"#, ["💩"], ["x"]),
        (#"^\p{L}$"#, ["é", "a"], ["1"]),
        (#"^(a|b)\1$"#, ["aa", "bb"], ["ab"]),
        (#"^[^]$"#, ["\n"], [""]),
        (#"^[]$"#, [], ["", "a"]),
        (#"^a\/b\-\.$"#, ["a/b-."], ["ab"]),
        ("^(?=a)(?!ab)(?:a)c", ["ac"], ["ab", "bc"]),
    ])
    func patternsAreThoseOfECMAScript(_ pattern: String, _ good: [String], _ bad: [String]) throws {
        try expect(["pattern": .string(pattern)], accepts: good.map { .string($0) }, refuses: bad.map { .string($0) })
    }

    @Test(arguments: ["(", "[", "a**", #"\"#, #"\x4"#, #"\u12"#, #"\Z"#, #"\c1"#, "[b-a]", "a{2,1}", #"\u{110000}"#])
    func whatIsNoPatternIsRefused(_ pattern: String) {
        #expect(throws: JSONSchema.Fault.self) { try JSONSchema(["pattern": .string(pattern)]) }
    }

    /// Such a search would take longer than a lifetime.
    @Test(.timeLimit(.minutes(5))) func aSearchWithoutEndIsGivenUp() throws {
        let text = String(repeating: "a", count: 5_000) + "!"
        for schema in [
            ["pattern": "^(a+)+$"], ["not": ["pattern": "^(a+)+$"]], ["anyOf": [["pattern": "^(a|a)*$"], [:]]],
        ] as [JSONValue] {
            #expect(try JSONSchema(schema).failures(in: .string(text)).map(\.keyword) == [""])
        }
    }

    @Test(
        arguments: [
            (
                "date-time", ["2014-04-05T06:07:08Z", "2016-02-29t23:59:60.25z", "1990-12-31T15:59:60-08:00"],
                [
                    "2014-04-05", "2014-02-29T00:00:00Z", "2014-04-05T24:00:00Z", "2014-04-05T06:07:08",
                    "2014-04-05T06:07:60Z",
                    "2014-04-05T06:07:08.Z", "2014-04-05T06:07:08+2:00", "2014-04-05T06:07:08Zx",
                ]
            ),
            (
                "email", ["joe@example.com", "\"a b\"@example.com", "x@[127.0.0.1]", "x@[IPv6:::1]"],
                ["joe", "@example.com", "a..b@example.com", ".a@example.com", "a@", "a b@example.com"]
            ),
            (
                "hostname", ["www.example.com", "xn--4gbwdl.xn--wgbh1c", "1a"],
                ["", "-a", "a-", "a_b", "a..b", "é.com"]
            ),
            (
                "ipv4", ["192.168.0.1", "0.0.0.0", "255.255.255.255"],
                ["127.0.0", "256.0.0.1", "01.2.3.4", "1.2.3.4.5", ""]
            ),
            (
                "ipv6",
                ["::1", "::", "1::", "1:2:3:4:5:6:7:8", "::ffff:1.2.3.4", "1:2:3:4:5:6:1.2.3.4", "1::8", "1::1.2.3.4"],
                [
                    "12345::", ":1", "1:", "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9", "1::2::3", ":::", "::1.2.3", "1.2.3.4",
                    "", ":",
                ]
            ),
            (
                "uri", ["http://a.b/c?d#e", "urn:x:y", "mailto:a@b.c", "http://a/%20"],
                ["//a.b", "/a", "a b", "http://a b", "http://a/%2", "1a:b", "http://é/", ""]
            ),
            ("regex", ["a+"], ["("]), ("something", ["anything"], []),
        ] as [(String, [String], [String])]
    )
    func formatsAreDemanded(_ format: String, _ good: [String], _ bad: [String]) throws {
        try expect(["format": .string(format)], accepts: good.map { .string($0) }, refuses: bad.map { .string($0) })
        let lax = try JSONSchema(["format": .string(format)], checksFormats: false)
        for text in good + bad { #expect(lax.isValid(.string(text))) }
    }
}
