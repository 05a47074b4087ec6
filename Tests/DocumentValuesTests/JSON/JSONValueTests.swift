internal import Foundation
internal import SetteeDocumentValues
internal import StorageProtocol
internal import Testing

@Suite("JSON values")
struct JSONValueTests {
    @Test("literals and members")
    func literals() {
        var body: JSONValue = [
            "title": "Little, Big", "year": 1982, "score": 4.5, "tags": ["a", nil, true], "note": nil,
        ]
        #expect(body["title"]?.stringValue == "Little, Big")
        #expect(body["year"]?.intValue == 1982)
        #expect(body["year"]?.doubleValue == 1982)
        #expect(body["score"]?.doubleValue == 4.5)
        #expect(body["score"]?.intValue == nil)
        #expect(body["tags"]?[2]?.boolValue == true)
        #expect(body["tags"]?[3] == nil)
        #expect(body["tags"]?[-1] == nil)
        #expect(body["note"]?.isNull == true)
        #expect(body["none"] == nil)
        body["notes"] = "reread"
        body["year"] = nil
        body["score"] = 5
        #expect(
            body.description
                == #"{"note":null,"notes":"reread","score":5,"tags":["a",null,true],"title":"Little, Big"}"#
        )
        #expect(JSONValue(UInt64.max).intValue == nil)
        #expect(JSONValue(UInt32(7)) == 7)
        #expect(JSONValue(Int.min).intValue == Int64(Int.min))
        #expect(JSONValue(["a": 1, "b": JSONValue([2])]).description == #"{"a":1,"b":[2]}"#)
        var none: JSONValue = 3
        none["a"] = 1
        // It cannot be saved: JSONSettingTests.
        #expect(throws: StorageError.self) { try none.canonicalBytes() }
    }

    @Test("members are kept in canonical order and the last of equal names wins")
    func object() {
        var object: JSONObject = ["b": 1, "a": 2, "b": 3]
        #expect(object.keys == ["a", "b"])
        #expect(object["b"] == 3)
        object["aa"] = 4
        #expect(object.map(\.key) == ["a", "aa", "b"])
        #expect(object.remove("a") == 2)
        #expect(object.remove("a") == nil)
        #expect(object.count == 2)
        #expect(object == ["b": 3.0, "aa": 4])
        #expect(JSONObject().isEmpty)
    }

    @Test("Foundation's coders encode and decode values as they are")
    func coding() throws {
        let value: JSONValue = ["a": [1, -2.5, "x", nil, true], "big": .uint(.max), "o": ["k": [:], "l": []]]
        let data = try JSONEncoder().encode(value)
        #expect(try JSONDecoder().decode(JSONValue.self, from: data) == value)
        #expect(try JSONValue(parsing: Array(data)) == value)
    }

    @Test("pointers follow RFC 6901")
    func pointers() throws {
        let text = #"{"":0,"a/b":1," ":7,"c%d":2,"foo":["bar","baz"],"k\"l":6,"m~n":8}"#
        let value = try JSONValue(parsing: text)
        let places: [(String, JSONValue?)] = [
            ("", value), ("/foo", ["bar", "baz"]), ("/foo/0", "bar"), ("/foo/01", nil), ("/foo/2", nil),
            ("/foo/-", nil),
            ("/", 0), ("/a~1b", 1), ("/c%d", 2), ("/k\"l", 6), ("/ ", 7), ("/m~0n", 8), ("/foo/0/x", nil), ("/x", nil),
        ]
        let bytes = try value.canonicalBytes()
        for (pointer, expected) in places {
            #expect(value[try JSONPointer(pointer)] == expected, "\(pointer)")
            #expect(
                try unsafe JSONScanner.value(at: JSONPointer(pointer), in: bytes.span.bytes) == expected,
                "\(pointer)"
            )
        }
        for wrong in ["a", "/~", "/~2", "/a~", "#/a"] {
            #expect(code { _ = try JSONPointer(wrong) } == .badParameter)
        }
    }

    @Test("nodes are reached without building values")
    func nodes() throws {
        let text = Array(#"{"b":[1, 2.5 ,"x"],"a":{"k":null},"b":[true,"\u00e9"],"n":18446744073709551615}"#.utf8)
        var parser = JSONParser()
        try unsafe parser.parse(text.span.bytes)
        let root = parser.root
        let top = try #require(root)
        #expect(parser.kind(of: top) == .object)
        #expect(parser.sourceRange(of: top) == 0..<text.count)
        let last = parser.member("b", of: top)
        let array = try #require(last)
        var kinds: [JSONKind] = []
        var strings: [String] = []
        parser.forEachElement(of: array) { node in
            kinds.append(parser.kind(of: node))
            if let string = parser.string(of: node) { strings.append(string) }
        }
        #expect(kinds == [.true, .string])
        #expect(strings == ["é"])
        var names: [String] = []
        parser.forEachMember(of: top) { name, _ in names.append(name) }
        #expect(names == ["a", "b", "n"])
        let missing = parser.member("x", of: top)
        #expect(missing == nil)
        let number = parser.member("n", of: top)
        #expect(parser.value(of: try #require(number)) == .uint(.max))
        #expect(parser.int(of: try #require(number)) == nil)
        let source = parser.withSource(of: array) { $0.byteCount }
        #expect(source == #"[true,"\u00e9"]"#.utf8.count)
    }

    @Test("a parser can be used after an error, and after a large text")
    func reuse() throws {
        var parser = JSONParser()
        let large = try JSONValue.array((0..<200_000).map { .int($0) }).canonicalBytes()
        for text in [Array("[1]".utf8), large, Array("{\"a\":2}".utf8)] {
            do {
                try unsafe parser.parse(Array("[1,".utf8).span.bytes)
                Issue.record("accepted")
            } catch {
                #expect(error.code == .badJSON)
            }
            try unsafe parser.parse(text.span.bytes)
            let root = parser.root
            var bytes: [UInt8] = []
            parser.writeCanonical(try #require(root), into: &bytes)
            #expect(bytes == text)
        }
    }
}
