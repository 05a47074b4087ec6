internal import SetteeDocumentValues
internal import StorageConformance
internal import StorageProtocol
internal import Testing

@Suite("Splitting for bulk import")
struct JSONElementSplitterTests {
    /// Feeds a text in chunks of at most `chunk` bytes and gathers the elements.
    private static func split(
        _ text: String,
        _ layout: JSONElementSplitter.Layout = .automatic,
        at pointer: String = "",
        limit: Int = JSONLimits.documentLength,
        chunk: Int,
        seed: UInt64 = 1
    ) throws -> [JSONElementSplitter.Element] {
        var random = SeededGenerator(seed: seed)
        var splitter = JSONElementSplitter(layout: layout, at: try JSONPointer(pointer), limit: limit)
        var elements: [JSONElementSplitter.Element] = []
        let bytes = Array(text.utf8)
        var position = 0
        while position < bytes.count {
            let end = min(bytes.count, position + Int.random(in: 1...chunk, using: &random))
            splitter.append(Array(bytes[position..<end]))
            position = end
            while let element = try splitter.next() { elements.append(element) }
        }
        splitter.finish()
        while let element = try splitter.next() { elements.append(element) }
        let after = try splitter.next()
        #expect(after == nil)
        return elements
    }

    struct Case: Sendable, CustomTestStringConvertible {
        var name: String
        var text: String
        var layout = JSONElementSplitter.Layout.automatic
        var pointer = ""
        var texts: [String]
        var names: [String?]?
        var testDescription: String { name }
    }

    static let cases: [Case] = [
        Case(name: "nothing", text: "", texts: []),
        Case(name: "white space", text: " \n\r\n\t", texts: []),
        Case(name: "lines", text: "{\"a\":1}\n{\"b\":2}\n", texts: ["{\"a\":1}", "{\"b\":2}"]),
        Case(
            name: "lines with CRLF, empty lines, no end",
            text: "\r\n{\"a\":1}\r\n\r\n  {\"b\":\"}\\\"{\"} \r\n{}",
            texts: ["{\"a\":1}", "{\"b\":\"}\\\"{\"}", "{}"]
        ),
        Case(name: "one line", text: "{\"a\":1}", texts: ["{\"a\":1}"]),
        Case(name: "an empty object", text: "{}", texts: ["{}"]),
        Case(
            name: "one behind the other",
            text: "{\"a\":1}{\"b\":2} {\"c\":3}",
            texts: ["{\"a\":1}", "{\"b\":2}", "{\"c\":3}"]
        ),
        Case(
            name: "values of several lines",
            text: "{\n \"a\": [\n  {}\n ]\n}\n{\n \"b\": 2\n}\n",
            texts: ["{\n \"a\": [\n  {}\n ]\n}", "{\n \"b\": 2\n}"]
        ),
        Case(name: "a single value of several lines", text: "{\n\"a\":1\n}", texts: ["{\n\"a\":1\n}"]),
        Case(
            name: "garbage between lines",
            text: "{\"a\":1}\nxyz\n{\"b\":2}\n",
            texts: ["{\"a\":1}", "xyz", "{\"b\":2}"]
        ),
        Case(
            name: "an open brace",
            text: "{\"a\":1\n{\"b\":2}\n{\"c\":3}\n",
            texts: ["{\"a\":1", "{\"b\":2}", "{\"c\":3}"]
        ),
        Case(name: "an open string", text: "{\"a\":\"1}\n{\"b\":2}\n", texts: ["{\"a\":\"1}", "{\"b\":2}"]),
        Case(
            name: "an open array",
            text: "{\"a\":[1,\n{\"b\":2}\n{\"c\":3}\n",
            texts: ["{\"a\":[1,", "{\"b\":2}", "{\"c\":3}"]
        ),
        Case(name: "one brace too many", text: "{\"a\":1}}\n{\"b\":2}\n", texts: ["{\"a\":1}}", "{\"b\":2}"]),
        Case(name: "a comma behind", text: "{\"a\":1},\n{\"b\":2}\n", texts: ["{\"a\":1},", "{\"b\":2}"]),
        Case(name: "an open last line", text: "{\"a\":1}\n{\"b\":", texts: ["{\"a\":1}", "{\"b\":"]),
        Case(name: "an open first line", text: "{\"a\":\n{\"b\":1}", texts: ["{\"a\":", "{\"b\":1}"]),
        Case(name: "wrong bracket", text: "{\"a\":[1}\n{\"b\":2}", texts: ["{\"a\":[1}", "{\"b\":2}"]),
        Case(
            name: "garbage behind several lines",
            text: "{\n\"a\":1\n} x\n{\"b\":2}",
            texts: ["{\n\"a\":1\n} x", "{\"b\":2}"]
        ),
        Case(name: "no object", text: "1\n\"x\"\nnull", texts: ["1", "\"x\"", "null"]),
        Case(
            name: "an array",
            text: " [ {\"a\":1} , [2,\"]\"],3 ,\"x,\",null ]\n",
            texts: ["{\"a\":1}", "[2,\"]\"]", "3", "\"x,\"", "null"]
        ),
        Case(name: "an empty array", text: "[ ]", texts: []),
        Case(name: "an array as lines", text: "[1]\n[2]", layout: .values, texts: ["[1]", "[2]"]),
        Case(
            name: "an object of objects",
            text: "{ \"x\\u0079\" : {\"a\":1},\n\"\":{}}",
            texts: ["{\"a\":1}", "{}"],
            names: ["xy", ""]
        ),
        Case(
            name: "a document with objects and an ID",
            text: "{\"_id\":{\"$oid\":\"5f\"},\"x\":{}}",
            texts: ["{\"_id\":{\"$oid\":\"5f\"},\"x\":{}}"]
        ),
        Case(name: "a document with objects", text: "{\"x\":{},\"y\":1}", texts: ["{\"x\":{},\"y\":1}"]),
        Case(
            name: "members by force",
            text: "{\"x\":{},\"y\":1}",
            layout: .members,
            texts: ["{}", "1"],
            names: ["x", "y"]
        ),
        Case(name: "a document by force", text: "{\"x\":{}}", layout: .values, texts: ["{\"x\":{}}"]),
        Case(
            name: "lines of objects of objects",
            text: "{\"x\":{}}\n{\"y\":{}}",
            texts: ["{\"x\":{}}", "{\"y\":{}}"]
        ),
        Case(
            name: "a part",
            text:
                "{\"meta\":{\"statuses\":[0]},\"statuses\" : [{\"a\":1},{\"b\":[2]}],\"more\":[\"\\\\\",{}], "
                + "\"statuses\":[9]} ",
            pointer: "/statuses",
            texts: ["{\"a\":1}", "{\"b\":[2]}"]
        ),
        Case(
            name: "lines of arrays",
            text: "[{\"a\":1},{\"b\":\"]\"}]\n[]\n [3]\r\n[{}]",
            texts: ["{\"a\":1}", "{\"b\":\"]\"}", "3", "{}"]
        ),
        Case(
            name: "a backup with its first line, resumed",
            text: "{\"name\":\"@cloudant/couchbackup\",\"version\":\"2.10.0\",\"mode\":\"full\"}\n[{\"a\":1},{}]\n"
                + "{\"marker\":\"@cloudant/couchbackup:resume\"}\n[{\"b\":2}]\n",
            texts: ["{\"a\":1}", "{}", "{\"b\":2}"]
        ),
        Case(
            name: "an empty backup",
            text: "{\"name\":\"@cloudant/couchbackup\",\"version\":\"2.10.0\",\"mode\":\"full\"}\n",
            texts: []
        ),
        Case(
            name: "an answer of _all_docs",
            text: "{\"total_rows\":2,\"offset\":0,\"rows\":[\r\n{\"id\":\"a\"},\r\n{\"id\":\"b\",\"x\":[1]}\r\n]}\n",
            texts: ["{\"id\":\"a\"}", "{\"id\":\"b\",\"x\":[1]}"]
        ),
        Case(
            name: "a document with rows",
            text: "{\"total_rows\":2,\"kind\":1,\"x\":2,\"y\":3,\"rows\":[{}]}\n{\"rows\":[1]}",
            texts: ["{\"total_rows\":2,\"kind\":1,\"x\":2,\"y\":3,\"rows\":[{}]}", "{\"rows\":[1]}"]
        ),
        Case(
            name: "an answer by force",
            text: "{\"total_rows\":0,\"rows\":[]}",
            layout: .values,
            texts: ["{\"total_rows\":0,\"rows\":[]}"]
        ),
        Case(
            name: "a deep part",
            text: "[{},{\"a/b\":[1,\"x]\",{\"k\":{\"n\":{},\"m\":2}}]},3]",
            pointer: "/1/a~1b/2/k",
            texts: ["{}", "2"],
            names: ["n", "m"]
        ),
    ]

    @Test("elements are found whatever the chunks", arguments: cases)
    func elements(example: Case) throws {
        for (chunk, seed) in [(1, 1), (2, 1), (3, 2), (5, 3), (9, 4), (30, 5), (10_000, 6)] as [(Int, UInt64)] {
            let elements = try JSONElementSplitterTests.split(
                example.text,
                example.layout,
                at: example.pointer,
                chunk: chunk,
                seed: seed
            )
            #expect(elements.map { String(decoding: $0.text, as: UTF8.self) } == example.texts, "chunks of \(chunk)")
            #expect(elements.map(\.name) == example.names ?? example.texts.map { _ in nil }, "chunks of \(chunk)")
            let bytes = Array(example.text.utf8)
            for element in elements {
                #expect(bytes[element.offset...].starts(with: element.text), "chunks of \(chunk)")
                #expect(element.line == 1 + bytes[..<element.offset].count { $0 == 0x0A }, "chunks of \(chunk)")
                #expect(!element.isTooLarge)
            }
        }
    }

    static let refused: [(String, JSONElementSplitter.Layout, String, StorageError.Code)] = [
        ("[1,", .automatic, "", .badJSON), ("[1 2]", .automatic, "", .badJSON), ("[1]x", .automatic, "", .badJSON),
        ("[,1]", .automatic, "", .badJSON), ("[{\"a\":1}", .automatic, "", .badJSON), ("[1}", .automatic, "", .badJSON),
        ("{\"a\" 1}", .members, "", .badJSON), ("{\"\\uD800\":{}}", .members, "", .badJSON),
        ("{1:2}", .members, "", .badJSON),
        ("{\"a\":1,}", .members, "", .badJSON), ("{\"a\":}", .members, "", .badJSON), ("", .array, "", .badJSON),
        ("{}", .array, "", .badParameter), ("[]", .members, "", .badParameter), ("1", .array, "", .badParameter),
        ("{\"a\":[]}", .automatic, "/b", .badParameter), ("{\"a\":1}", .automatic, "/a", .badParameter),
        ("{\"a\":1}", .automatic, "/a/b", .badParameter), ("[[1]]", .automatic, "/1", .badParameter),
        ("{\"a\":[1],\"b\":", .automatic, "/a", .badJSON), ("{\"a\":[1]]", .automatic, "/a", .badJSON),
        ("[1]\n{\"a\":1}", .automatic, "", .badJSON), ("[1]\n[2", .automatic, "", .badJSON),
        ("[1][2]", .array, "", .badJSON), ("{\"total_rows\":1,\"rows\":[1]}[2]", .automatic, "", .badJSON),
        ("{\"a\":[]", .automatic, "/b", .badJSON), ("1", .automatic, "/a", .badParameter),
    ]

    @Test("what holds the elements must be well-formed", arguments: refused)
    func refuses(text: String, layout: JSONElementSplitter.Layout, pointer: String, expected: StorageError.Code) {
        for chunk in [1, 100] {
            #expect(
                code { _ = try JSONElementSplitterTests.split(text, layout, at: pointer, chunk: chunk) } == expected
            )
        }
    }

    @Test("elements over the limit are marked and skipped")
    func tooLarge() throws {
        let long = "{\"a\":\"" + String(repeating: "x", count: 300) + "\"}"
        let lines = "{\"b\":1}\n\(long)\n{\"c\":1}\n{\n\"l\":[\n\(long),\n\(long)]}\n{\"d\":1}"
        let texts: [(String, JSONElementSplitter.Layout, String, [String], [String?])] = [
            (lines, .values, "", ["{\"b\":1}", "", "{\"c\":1}", "", "{\"d\":1}"], [nil, nil, nil, nil, nil]),
            (
                "{\"b\":1}\n" + String(repeating: "y", count: 500) + "\n{\"c\":1}", .values, "",
                ["{\"b\":1}", "", "{\"c\":1}"], [nil, nil, nil]
            ),
            ("[1,\(long),2]", .automatic, "", ["1", "", "2"], [nil, nil, nil]),
            ("{\"k\":{},\"l\":\(long),\"m\":{}}", .automatic, "", ["{}", "", "{}"], ["k", "l", "m"]),
            ("{\"s\":\(long),\"k\":[\(long),2]}", .automatic, "/k", ["", "2"], [nil, nil]),
        ]
        for (text, layout, pointer, expected, names) in texts {
            for chunk in [1, 7, 50, 1000] {
                let elements = try JSONElementSplitterTests.split(text, layout, at: pointer, limit: 200, chunk: chunk)
                #expect(elements.map { String(decoding: $0.text, as: UTF8.self) } == expected, "chunks of \(chunk)")
                #expect(elements.map(\.isTooLarge) == expected.map { $0.isEmpty }, "chunks of \(chunk)")
                #expect(elements.map(\.name) == names, "chunks of \(chunk)")
            }
        }
    }

    @Test("random documents are returned as they were, however they are laid out")
    func random() throws {
        for seed in 0..<UInt64(isStress ? 20_000 : 150) {
            var random = JSONRandom(random: SeededGenerator(seed: seed))
            let documents = (0..<Int.random(in: 2..<8, using: &random.random)).map { number -> JSONValue in
                ["number": .int(Int64(number)), "value": random.value(depth: 2)]
            }
            let chunk = Int.random(in: 1...200, using: &random.random)
            let texts = documents.map { random.text(of: $0) }
            let layouts: [(String, JSONElementSplitter.Layout, String)] = [
                (documents.map(\.description).joined(separator: "\n"), .automatic, ""),
                (texts.joined(separator: "\n"), .values, ""),
                ("[" + texts.joined(separator: " ,") + "]", .automatic, ""),
                ("{\"a\":{\"b\":[" + texts.joined(separator: ",") + "]},\"c\":{}}", .automatic, "/a/b"),
                ("{" + texts.enumerated().map { "\"\($0)\":\($1)" }.joined(separator: ",") + "}", .automatic, ""),
            ]
            for (text, layout, pointer) in layouts {
                let elements = try JSONElementSplitterTests.split(text, layout, at: pointer, chunk: chunk, seed: seed)
                let values = try elements.map { try JSONValue(parsing: $0.text) }
                #expect(values == documents, "seed \(seed)")
            }
        }
    }
}
