import Settee
import SetteeTestSupport
import Testing

@testable import SetteeEngine

/// What comes from outside: IDs and bodies are stored exactly, or refused with a code.
@Suite struct InputTests {
    static let invalidIDs = [
        "", "_", "_x", "_all_docs", "_local", "_local/", "_design", "_design/", "__", "_localx", "a\0", "\0", "a\0b",
        String(repeating: "x", count: 65_537), String(repeating: "é", count: 32_769),
        "_local/" + String(repeating: "x", count: 65_530), "_local/\0",
    ]

    @Test(arguments: Storage.all) func idsThatAreNotAllowedAreRefused(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let database = bed.database
            for id in InputTests.invalidIDs {
                let document = database[id]
                let calls: [() throws -> Void] = [
                    { try document.put([:]) }, { try document.put(json: "{}") }, { _ = try document.read() },
                    { _ = try document.revision() }, { try document.update { $0["n"] = 1 } }, { try document.delete() },
                    { try document.purge() }, { _ = try document.exists }, { _ = try database.existingDocument(id) },
                ]
                for (number, call) in calls.enumerated() {
                    expectError(.badID, "call \(number) with an ID of \(id.utf8.count) bytes", call)
                }
            }
            #expect(try database.lastSequence == 0)
        }
    }

    static let oddIDs = [
        "a", " ", "\n", "/", "//", "a/b/c", "..", "../../etc/passwd", "%2F", "a_", "😀", "👨‍👩‍👧‍👦", "\u{202E}rtl", "שלום",
        "مرحبا",
        "caf\u{E9}", "cafe\u{301}", "\u{FEFF}bom", "\u{1}", "\u{7F}", "\u{FFFF}", "\u{10FFFF}",
        "'; DROP TABLE docs; --", "\"", "\\",
        String(repeating: "x", count: 65_536), String(repeating: "é", count: 32_768),
        String(repeating: "😀", count: 16_384),
    ]

    @Test(arguments: Storage.all) func allOthersAreStoredExactly(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            for (number, id) in InputTests.oddIDs.enumerated() { try bed.database[id].put(["n": .int(Int64(number))]) }
            try bed.reopen()
            #expect(try bed.database.documentCount == UInt64(InputTests.oddIDs.count))
            for (number, id) in InputTests.oddIDs.enumerated() {
                let revision = try bed.database[id].read()
                #expect(revision["n"] == .int(Int64(number)))
                #expect(bytes(revision.documentID.string) == bytes(id))
            }
            let listed = try bed.database.allDocuments().ids().map(bytes)
            #expect(Set(listed) == Set(InputTests.oddIDs.map(bytes)))
        }
    }

    static let badTexts = [
        "", " ", "{", "}", "{\"a\"}", "{\"a\":}", "{\"a\":1,}", "{a:1}", "{'a':1}", "{\"a\":1}x", "[1]", "1", "null",
        "\"x\"", "true",
        "{\"a\":01}", "{\"a\":1.}", "{\"a\":+1}", "{\"a\":NaN}", "{\"a\":1e400}", "{\"a\":-1e400}",
        "{\"a\":\"\\ud800\"}", "{\"a\":\"\\udc00x\"}", "{\"\\ud800\":1}",
        "{\"a\":\"\u{1}\"}",
        "{\"a\":\"\\x\"}", "{\"a\":\"\\u12\"}", "{\"a\":\"x}", "{\"_x\":1}", "{\"_attachment\":{}}",
        "{\"_attachments\":1}",
        "{\"_revisions\":1}", "{\"_revisions\":{\"start\":1,\"ids\":[\"a\",\"b\"]}}", "\u{FEFF}{}", "{}{}", "// x\n{}",
    ]

    @Test(arguments: Storage.all) func textsThatAreNoDocumentsAreRefused(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            for text in InputTests.badTexts {
                expectError(.badJSON, "\(text)") { try bed.database["x"].put(json: text) }
            }
            let deep = String(repeating: "[", count: 600) + String(repeating: "]", count: 600)
            expectError(.badJSON) { try bed.database["x"].put(json: #"{"a":\#(deep)}"#) }
            for truncated in [[0xC3], [0xE2, 0x82], [0xF0, 0x9F, 0x98], [0xFF], [0xC0, 0x80], [0xED, 0xA0, 0x80]]
                as [[UInt8]]
            {
                let text = bytes("{\"a\":\"") + truncated + bytes("\"}")
                expectError(.badJSON) { try unsafe bed.database["x"].put(json: text.span.bytes) }
            }
            #expect(try bed.database.lastSequence == 0)
        }
    }

    @Test(arguments: Storage.all) func valuesWithoutATextAreRefused(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            var deep = JSONValue.int(1)
            for _ in 0..<600 { deep = .array([deep]) }
            for value in [.double(.nan), .double(.infinity), .array([.double(-.infinity)]), deep] as [JSONValue] {
                expectError(.badJSON) { try bed.database["x"].put(["a": value]) }
                expectError(.badJSON) { try bed.database["x"].update { $0["a"] = value } }
                expectError(.badJSON) { try bed.database["_local/x"].put(["a": value]) }
            }
            #expect(try bed.database["x"].revision() == nil)
        }
    }

    @Test(arguments: Storage.all) func reservedMembersOfAnswersAreLeftOut(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let text =
                #"{"_conflicts":["2-b"],"_revs_info":[],"_deleted_conflicts":[],"_local_seq":7,"_attachments":{},"n":{"_x":1}}"#
            #expect(try bed.database["x"].put(json: text).text == #"{"n":{"_x":1}}"#)
            #expect(try bed.database["y"].put(JSONValue(parsing: text).objectValue ?? [:]).text == #"{"n":{"_x":1}}"#)
        }
    }

    @Test(arguments: Storage.all) func ofDuplicateKeysTheLastWins(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            #expect(
                try bed.database["x"].put(json: #"{"a":1,"b":{"c":1,"c":2},"a":3}"#).text == #"{"a":3,"b":{"c":2}}"#
            )
            // Names are bytes: composed and decomposed are two.
            let twins = "{\"e\u{301}\":1,\"\u{E9}\":2}"
            #expect(try bed.database["y"].put(json: twins).json == bytes(twins))
            #expect(try bed.database["z"].put(json: #"{"_id":"other","_id":"z"}"#).id.generation == 1)
        }
    }

    @Test("integers outside of 64 bits keep their digits", arguments: Storage.all)
    func longIntegers(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let text = #"{"a":[100000000000000000001,-9223372036854775809],"b":18446744073709551616}"#
            #expect(try bed.database["x"].put(json: text).text == text)
            try bed.reopen()
            let read = try bed.database["x"].read()
            #expect(read.text == text)
            #expect(read["b"]?.doubleValue == 18_446_744_073_709_551_616.0)
            #expect(try bed.database["y"].put(read.properties).text == text)
            let saved = try bed.database["x"].update { $0["c"] = (Int128(UInt64.max) * 10).jsonValue }
            #expect(saved?.text.contains(#""c":184467440737095516150"#) == true)
        }
    }

    @Test(arguments: Storage.all) func numbersAreExact(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let text =
                #"{"a":9223372036854775807,"b":-9223372036854775808,"c":18446744073709551615,"d":1e+20,"e":0.1,"f":5e-324}"#
            #expect(try bed.database["x"].put(json: text).text == text)
            let properties = try #require(try bed.database["x"].properties)
            #expect(properties["a"] == .int(.max))
            #expect(properties["b"] == .int(.min))
            #expect(properties["c"] == .uint(.max))
            #expect(properties["d"] == .double(1e20))
            #expect(properties["f"] == .double(.leastNonzeroMagnitude))
            #expect(try bed.database["y"].put(properties).id == bed.database["x"].read().id)
            #expect(try bed.database["z"].put(json: #"{"a":-0.0,"b":1e-400}"#).text == #"{"a":0,"b":0}"#)
        }
    }

    @Test(arguments: Storage.all) func tenMegabytesAreStoredExactly(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let pattern = Array("0123456789abcdefghijklmnopqrstuvwxyz é😀 ".utf8)
            var text = bytes("{\"s\":\"")
            for _ in 0..<(10_000_000 / pattern.count + 1) { text += pattern }
            text += bytes("\"}")
            let saved = try unsafe bed.database["x"].put(json: text.span.bytes)
            #expect(saved.json == text)
            try bed.reopen()
            #expect(try bed.database["x"].read().json == text)
            #expect(try bed.database["x"].revision()?.id == saved.id)
        }
    }

    /// What could not be read again must not be stored: a text within the limit may have a longer canonical form.
    @Test func documentsBeyondTheLimitAreRefused() throws {
        try withDatabase(.memory) { (bed) throws in
            let long = bytes("{\"a\":\"") + [UInt8](repeating: 0x78, count: 32 << 20) + bytes("\"}")
            expectError(.tooLarge) { try unsafe bed.database["x"].put(json: long.span.bytes) }
            expectError(.tooLarge) {
                try bed.database["x"].put(["a": .string(String(repeating: "x", count: 32 << 20))])
            }
            var growing = bytes("{\"a\":[1e9")
            for _ in 0..<3_200_000 { growing += [0x2C, 0x31, 0x65, 0x39] }
            growing += bytes("]}")
            expectError(.tooLarge) { try unsafe bed.database["x"].put(json: growing.span.bytes) }
            #expect(try bed.database.lastSequence == 0)
        }
    }
}
