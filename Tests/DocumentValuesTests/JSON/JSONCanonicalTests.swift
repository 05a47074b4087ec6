internal import SetteeDocumentValues
internal import StorageConformance
internal import StorageProtocol
internal import Testing

@Suite("Canonical JSON")
struct JSONCanonicalTests {
    static let texts: [(String, String)] = [
        (#"{"b":1,"a":2}"#, #"{"a":2,"b":1}"#),
        (#" { "a" : [ 1 , 2 ] } "#, #"{"a":[1,2]}"#),
        (#"{"a":1,"a":2}"#, #"{"a":2}"#),
        (#"{"a":1,"b":0,"a":2}"#, #"{"a":2,"b":0}"#),
        (#"{"a":{"x":1},"a":{"y":{"k":2,"k":3}}}"#, #"{"a":{"y":{"k":3}}}"#),
        (#"{"\u0061":1,"a":2,"\u0061":3}"#, #"{"a":3}"#),
        (#"{"abcdefghi":1,"abcdefgh":2}"#, #"{"abcdefgh":2,"abcdefghi":1}"#),
        (#"{"abcdefghj":1,"abcdefghi":2}"#, #"{"abcdefghi":2,"abcdefghj":1}"#),
        (#"{"":1,"\u0000":2,"a":3}"#, "{\"\":1,\"\\u0000\":2,\"a\":3}"),
        (#"{"a\u0000":1,"a":2}"#, #"{"a":2,"a\u0000":1}"#),
        (
            #"{"name":{"first":"A","last":"B"},"gender":"f","list":["x"],"born":{"y":1,"d":{"b":1,"a":2.5}}}"#,
            #"{"born":{"d":{"a":2.5,"b":1},"y":1},"gender":"f","list":["x"],"name":{"first":"A","last":"B"}}"#
        ),
        (#"[{"b":1,"a":2},{"d":3,"c":[{"f":1,"e":0}]}]"#, #"[{"a":2,"b":1},{"c":[{"e":0,"f":1}],"d":3}]"#),
        (#"[]"#, "[]"), (#"{ }"#, "{}"), (#"[ [ ] , { } ]"#, "[[],{}]"), (#"{"a": {}}"#, #"{"a":{}}"#),
        (#" "x" "#, #""x""#), ("true", "true"), (" null", "null"), ("[false ,true]", "[false,true]"),
        (#""\/\u00e9\u0041""#, #""/éA""#),
        (#""\u0008\u0009\u000a\u000b\u000c\u000d\u001F\u007f""#, "\"\\b\\t\\n\\u000b\\f\\r\\u001f\u{7F}\""),
        (#""\"\\\b\f\n\r\t""#, #""\"\\\b\f\n\r\t""#),
        (#""\uD83D\uDE00 \ud83d\ude00 😀""#, #""😀 😀 😀""#),
        (#""\u2028\u2029""#, "\"\u{2028}\u{2029}\""),
        (#"{"\n":1,"\r":2,"\t":3}"#, #"{"\t":3,"\n":1,"\r":2}"#),
    ]

    @Test("a text has one canonical form", arguments: texts)
    func form(text: String, expected: String) throws {
        let once = try canonical(text)
        #expect(Array(once.utf8) == Array(expected.utf8))
        #expect(try canonical(once) == once)
        let value = try JSONValue(parsing: text)
        #expect(String(decoding: try value.canonicalBytes(), as: UTF8.self) == once)
        #expect(try JSONValue(parsing: once) == value)
    }

    @Test("names are ordered by their UTF-16 code units")
    func order() throws {
        // U+1F600 is D83D DE00 in UTF-16: before U+E000 and U+FB33, after U+D7FF; its UTF-8 comes after all of them.
        let names =
            ["", "A", "a", "aa", "\u{7F}", "\u{80}", "\u{7FF}", "\u{D7FF}", "\u{1F600}", "\u{10FFFF}", "\u{E000}"]
            + ["\u{FB33}", "\u{FFFF}"]
        let long = names.map { "0123456789" + $0 }
        for list in [names, long] {
            let sorted = list.sorted { Array($0.utf16).lexicographicallyPrecedes(Array($1.utf16)) }
            let text = "{" + list.reversed().map { "\"\($0)\":1" }.joined(separator: ",") + "}"
            let expected = "{" + sorted.map { "\"\($0)\":1" }.joined(separator: ",") + "}"
            #expect(try canonical(text) == expected)
            #expect(try canonical(expected) == expected)
            #expect(try JSONValue(parsing: text).objectValue?.keys == sorted)
            #expect(try String(decoding: JSONValue(parsing: text).canonicalBytes(), as: UTF8.self) == expected)
        }
    }

    @Test("composed and decomposed names are two members")
    func bytes() throws {
        let value = try JSONValue(parsing: "{\"\u{E9}\":1,\"e\u{301}\":2}")
        #expect(value.objectValue?.count == 2)
        #expect(value["\u{E9}"] == 1)
        #expect(value["e\u{301}"] == 2)
        #expect(JSONValue.string("\u{E9}") != JSONValue.string("e\u{301}"))
        #expect(Set<JSONValue>(["\u{E9}", "e\u{301}"]).count == 2)
    }

    @Test(
        "many members in any order, with duplicates, are sorted and the last one wins",
        arguments: [30, 1000, 20_000]
    )
    func manyMembers(count: Int) throws {
        var random = SeededGenerator(seed: UInt64(count))
        var last: [Int: Int] = [:]
        var text = "{"
        for i in 0..<count {
            let name = Int.random(in: 0..<count, using: &random)
            last[name] = i
            text += (i == 0 ? "" : ",") + "\"a common beginning \(String(format: name))\":\(i)"
        }
        text += "}"
        let members = last.map { ("a common beginning \(String(format: $0.key))", JSONValue.int(Int64($0.value))) }
        let expected = try JSONValue.object(JSONObject(members)).canonicalBytes()
        #expect(try canonical(text) == String(decoding: expected, as: UTF8.self))
        #expect(try JSONValue(parsing: text).objectValue?.count == last.count)
    }

    @Test("a stored body has no reserved members but _attachments")
    func documentBody() throws {
        let cases = [
            (#"{"_id":"x","b":1,"_rev":"1-a","a":2}"#, #"{"a":2,"b":1}"#, ["_id", "_rev"]),
            (#"{"_attachments":{"b":1,"a":2},"_id":1}"#, #"{"_attachments":{"a":2,"b":1}}"#, ["_attachments", "_id"]),
            (#"{"a":1,"_b":2}"#, #"{"a":1}"#, ["_b"]),
            (#"{"\u005fid":1,"z":2,"x":{"_id":3}}"#, #"{"x":{"_id":3},"z":2}"#, ["_id"]),
            (#"{"_id":1}"#, "{}", ["_id"]), (#"{"_id":1,"_id":2}"#, "{}", ["_id"]), ("{}", "{}", []),
            (#"{"a":{"_b":1}}"#, #"{"a":{"_b":1}}"#, []), (#"{"\u0061":1}"#, #"{"a":1}"#, []),
        ]
        var parser = JSONParser()
        for (text, expected, names) in cases {
            try unsafe parser.parse(Array(text.utf8).span.bytes)
            var body: [UInt8] = []
            try parser.writeDocumentBody(into: &body)
            #expect(String(decoding: body, as: UTF8.self) == expected)
            var reserved: [String] = []
            parser.forEachReservedMember { name, _ in reserved.append(name) }
            #expect(reserved == names)
            let has = parser.hasReservedMembers
            #expect(has == !names.isEmpty)
        }
        try unsafe parser.parse(Array("[1]".utf8).span.bytes)
        var body: [UInt8] = []
        do {
            try parser.writeDocumentBody(into: &body)
            Issue.record("an array is no document")
        } catch {
            #expect(error.code == .badJSON)
        }
    }
}

extension String {
    /// A number of eight digits.
    fileprivate init(format number: Int) {
        let digits = String(number)
        self = String(repeating: "0", count: 8 - digits.count) + digits
    }
}
