import Settee
import SetteeTestSupport
import Testing

/// Revision IDs follow the recipe, so that the same change made anywhere has the same ID.
@Suite struct RevisionIDTests {
    @Test func theDigestOfTheseTestsIsMD5() {
        #expect(MD5.hex([]) == "d41d8cd98f00b204e9800998ecf8427e")
        #expect(MD5.hex(bytes("abc")) == "900150983cd24fb0d6963f7d28e17f72")
        let digits = String(repeating: "1234567890", count: 8)
        #expect(MD5.hex(bytes(digits)) == "57edf4a22be3c955ac49da2e2107b67a")
    }

    @Test(arguments: Storage.all) func theKnownVectorHolds(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let saved = try bed.database["x"].put(["foo": "bar"])
            #expect(saved.id.string == "1-cd809becc169215072fd567eebd8b8de")
            #expect(expectedRevisionID(#"{"foo":"bar"}"#) == saved.id.string)
        }
    }

    @Test(arguments: Storage.all) func everyRevisionFollowsTheRecipe(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let document = bed.database["x"]
            let first = try document.put(json: #"{"z":[1,2.50,"é\n"],"a":{"y":null,"b":true},"n":1e2}"#)
            let text = #"{"a":{"b":true,"y":null},"n":100,"z":[1,2.5,"é\n"]}"#
            #expect(first.text == text)
            #expect(first.id.string == expectedRevisionID(text))
            let second = try #require(try document.update { $0["n"] = 0.5 })
            let changed = #"{"a":{"b":true,"y":null},"n":0.5,"z":[1,2.5,"é\n"]}"#
            #expect(second.id.string == expectedRevisionID(changed, parent: first.id.string))
            let third = try document.delete()
            #expect(third.id.string == expectedRevisionID("{}", parent: second.id.string, isDeleted: true))
            let fourth = try document.put([:])
            #expect(fourth.id.string == expectedRevisionID("{}", parent: third.id.string))
        }
    }

    @Test(arguments: Storage.all) func theSameChangeOnTwoDatabasesHasTheSameID(_ type: StorageType) throws {
        func story(_ document: Document) throws -> [String] {
            let first = try document.put(["b": 1, "a": 2])
            let second = try document.put(["_rev": .string(first.id.string), "a": ["x", 1.25]])
            let third = try document.delete(parent: second.id)
            let fourth = try document.put(json: #"{ "again" : true }"#)
            return [first, second, third, fourth].map(\.id.string)
        }
        try withDatabase(type) { (bed) throws in
            try bed.database["noise"].put(["n": 1])
            let here = try story(bed.database["x"])
            try withDatabase(.memory) { (other) throws in
                #expect(try story(other.database["another ID"]) == here)
            }
        }
    }

    @Test(arguments: Storage.all) func foreignParentsAreContinued(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let suffixes = ["short", String(repeating: "f", count: 250), "ÄÖÜ-😀", String(repeating: "A", count: 32)]
            for (number, suffix) in suffixes.enumerated() {
                let id = try DocumentID("doc\(number)")
                let parent = try RevisionID("9-\(suffix)")
                #expect(try bed.database.forceInsert(id, history: [parent], json: bytes("{}"), isDeleted: false))
                let next = try bed.database[id.string].put(["n": 1], parent: parent)
                #expect(next.id.string == expectedRevisionID(#"{"n":1}"#, parent: parent.string))
            }
        }
    }
}
