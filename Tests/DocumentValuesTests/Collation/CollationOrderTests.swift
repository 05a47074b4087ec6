internal import StorageProtocol
internal import Testing

@testable internal import SetteeDocumentValues

@Suite struct CollationOrderTests {
    /// The order that CouchDB's documentation publishes for view keys, objects as written.
    @Test func unicodeOrderIsThatOfCouchDB() throws {
        try expectOrder(
            .unicode,
            [
                "null", "false", "true", "1", "2", "3.0", "4", #""a""#, #""A""#, #""aa""#, #""b""#, #""B""#, #""ba""#,
                #""bb""#, #"["a"]"#, #"["b"]"#, #"["b","c"]"#, #"["b","c","a"]"#, #"["b","d"]"#, #"["b","d","e"]"#,
                #"{"a":1}"#, #"{"a":2}"#, #"{"b":1}"#, #"{"b":2}"#, #"{"b":2,"a":1}"#, #"{"b":2,"c":2}"#,
            ]
        )
    }

    /// The same objects in canonical form, as documents have them: members stand in the order of their names.
    @Test func objectsAreOrderedMemberByMemberAsTheyStand() throws {
        try expectOrder(
            .unicode,
            [
                "{}", #"{"a":1}"#, #"{"a":1,"b":2}"#, #"{"a":2}"#, #"{"b":1}"#, #"{"b":2}"#, #"{"b":2,"c":2}"#,
                #"{"b":[]}"#, #"{"b":[{}]}"#, #"{"b":{}}"#, #"{"ba":null}"#,
            ]
        )
    }

    @Test func typesAreOrderedInUnicode() throws {
        try expectOrder(
            .unicode,
            [
                "null", "false", "true", "-1e308", "-1", "0", "2.5", "10", "1e308", #""""#, #"" ""#, #""_""#, #""~""#,
                #""a""#, #""A""#, #""b""#, #""ba""#, #""bb""#, "[]", "[null]", "[null,null]", "[false]", "[0]",
                #"["a"]"#, "[[]]", "[[],null]", "[{}]", "{}", #"{"":null}"#, #"{"a":null}"#,
            ]
        )
    }

    @Test func typesAreOrderedInRaw() throws {
        try expectOrder(
            .raw,
            [
                "-1e308", "-1", "0", "2.5", "10", "1e308", "false", "null", "true", "{}", #"{"":1}"#, #"{"a":1}"#,
                #"{"a":false}"#, "[]", "[-5]", "[false]", "[null]", "[{}]", "[[]]", #"["a"]"#, #"["b"]"#,
                #"["b","c"]"#, #"["b","c","a"]"#, #"["b","d"]"#, #"["b","d","e"]"#, #""""#, #""\u0000""#,
                #""\u0000\u0000""#, #""\u0000\u0001""#, #""\u0001""#, #""\u0002""#, #"" ""#, #""A""#, #""B""#,
                #""_""#, #""a""#, #""a\u0000""#, #""a\u0001""#, #""aa""#, #""b""#, #""ba""#, #""bb""#, #""~""#,
                #""\#u{e9}""#, #""\#u{FFFF}""#, #""\#u{10000}""#,
            ]
        )
    }

    static let strings = [
        "", " ", "_", "-", ",", ";", "!", "?", ".", "'", "(", "@", "*", "/", "&", "#", "`", "+", "<", "|", "~",
        "\u{1F600}", "$", "\u{20AC}", "0", "1", "10", "2", "9", "a", "A", "\u{e1}", "\u{c1}", "\u{e4}", "a b", "a-b",
        "aa", "aA", "Aa", "AA", "ab", "abc ABC", "b", "cote", "cot\u{e9}", "c\u{f4}te", "c\u{f4}t\u{e9}", "coter",
        "ss", "\u{df}", "sz", "z", "Z", "zz", "\u{3b1}", "\u{391}", "\u{3ac}", "\u{3b2}", "\u{430}", "\u{410}",
        "\u{44f}", "\u{5d0}", "\u{639}", "\u{915}", "\u{e01}", "\u{ac00}", "\u{3042}", "\u{30a2}", "\u{4e00}",
        "\u{20000}",
    ]

    @Test func stringsAreOrderedAcrossScripts() throws {
        let json = Self.strings.map(quoted)
        try expectOrder(.unicode, json)
        try expectOrder(.icuOnly, json)
        try expectOrder(.unicode, json.map { "[\($0),1]" })
    }

    /// Equal in the order is equal in the key, though the texts differ.
    @Test(arguments: [
        [#""\#u{e9}""#, #""e\#u{301}""#, #""\u00e9""#, #""e\u0301""#],
        [#""\#u{c5}""#, #""\#u{212b}""#, #""A\#u{30a}""#],
        [#""\#u{ac00}""#, #""\#u{1100}\#u{1161}""#],
        [#""a""#, #""\u0061""#, #""a\u0000""#, #""\u0001a""#, #""a\#u{7f}""#, #" "a" "#],
        [#""\#u{1F600}""#, #""\ud83d\ude00""#, #""\uD83D\uDE00""#],
        [#""/\b\f\n\r\t\"\\""#, #""\/\u0008\u000c\u000a\u000d\u0009\u0022\u005c""#],
        [#"{"a":[1,{}]}"#, #" { "a" : [ 1.0 , { } ] } "#],
    ])
    func equalValuesHaveEqualKeys(texts: [String]) throws {
        let keys = try texts.map { try Collator.unicode.key($0) }
        #expect(Set(keys).count == 1)
    }

    @Test func rawTellsComposedAndDecomposedApart() throws {
        #expect(try Collator.raw.key(#""\#u{e9}""#) != Collator.raw.key(#""e\#u{301}""#))
        #expect(try Collator.raw.key(#""\#u{e9}""#) == Collator.raw.key(#""\u00e9""#))
        #expect(try Collator.raw.key(#""\#u{1F600}""#) == Collator.raw.key(#""\ud83d\ude00""#))
    }

    /// Each key is below the next one, whole and as part of an array.
    private func expectOrder(
        _ collator: Collator,
        _ json: [String],
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let keys = try json.map { try collator.key($0) }
        for (index, key) in keys.enumerated() {
            #expect(isWellFormed(key), "\(json[index])", sourceLocation: sourceLocation)
            for later in keys.indices.dropFirst(index + 1) {
                #expect(
                    compareBytes(key, keys[later]) < 0,
                    "\(json[index]) before \(json[later])",
                    sourceLocation: sourceLocation
                )
            }
        }
    }
}
