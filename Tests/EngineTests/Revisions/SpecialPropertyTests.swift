import Settee
import SetteeTestSupport
import Testing

/// Members whose names begin with `_`: produced on request, checked or refused on write.
@Suite struct SpecialPropertyTests {
    private func text(_ properties: JSONObject?) throws -> String? {
        try properties.map { String(decoding: try $0.canonicalBytes(), as: UTF8.self) }
    }

    @Test(arguments: Storage.all) func areProducedOnRequest(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let document = bed.database["doc"]
            #expect(try document.properties(including: .all) == nil)
            try document.forceInsert(["n": 1], history: ["3-c", "2-b", "1-a"].map { try RevisionID($0) })
            #expect(try text(document.properties(including: [])) == #"{"_id":"doc","_rev":"3-c","n":1}"#)
            #expect(
                try text(document.properties(including: .revisions))
                    == #"{"_id":"doc","_rev":"3-c","_revisions":{"ids":["c","b","a"],"start":3},"n":1}"#
            )
            #expect(
                try text(document.properties(including: .revisionsInfo))
                    == #"{"_id":"doc","_rev":"3-c","_revs_info":[{"rev":"3-c","status":"available"},"#
                    + #"{"rev":"2-b","status":"missing"},{"rev":"1-a","status":"missing"}],"n":1}"#
            )
            // No conflict: no `_conflicts`.
            #expect(try text(document.properties(including: .conflicts)) == #"{"_id":"doc","_rev":"3-c","n":1}"#)
            #expect(
                try text(document.properties(including: .localSequence))
                    == #"{"_id":"doc","_local_seq":1,"_rev":"3-c","n":1}"#
            )
            try document.forceInsert(["n": 2], history: ["3-d", "2-b"].map { try RevisionID($0) })
            try document.forceInsert(["n": 3], history: [RevisionID("4-dead"), RevisionID("3-x")], isDeleted: true)
            try document.forceInsert(["n": 4], history: [RevisionID("1-z")])
            #expect(
                try text(document.properties(including: .all))
                    == #"{"_conflicts":["3-c","1-z"],"_id":"doc","_local_seq":2,"_rev":"3-d","#
                    + #""_revisions":{"ids":["d","b","a"],"start":3},"_revs_info":[{"rev":"3-d","status":"available"},"#
                    + #"{"rev":"2-b","status":"missing"},{"rev":"1-a","status":"missing"}],"n":2}"#
            )
            // For a losing leaf, the conflicts are the winner and the other losers.
            let loser = try #require(try document.revision(RevisionID("1-z")))
            #expect(
                try text(loser.properties(including: [.conflicts, .localSequence]))
                    == #"{"_conflicts":["3-d","3-c"],"_id":"doc","_local_seq":4,"_rev":"1-z","n":4}"#
            )
            let tombstone = try #require(try document.revision(RevisionID("4-dead")))
            #expect(
                try text(tombstone.properties(including: .revisionsInfo))
                    == #"{"_deleted":true,"_id":"doc","_rev":"4-dead","_revs_info":[{"rev":"4-dead","status":"deleted"},"#
                    + #"{"rev":"3-x","status":"missing"}],"n":3}"#
            )
            try document.deleteAllBranches()
            #expect(try document.properties(including: .all) == nil)
            let last = try #require(try document.revision())
            #expect(try last.properties(including: .conflicts)["_conflicts"] == nil)
            #expect(try last.properties(including: .conflicts)["_deleted"] == true)
            try document.purge()
            #expect(try loser.properties(including: .all).keys == ["_id", "_local_seq", "_rev", "n"])
        }
    }

    @Test(arguments: Storage.all) func strangeRevisionIDsComeBackAsTheyWere(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let suffixes = ["\u{301}x", "-", "e\u{301}", "\u{E9}", "A", "a", "1-2", String(repeating: "k", count: 240)]
            for (number, suffix) in suffixes.enumerated() {
                let document = bed.database["doc\(number)"]
                let history = try [RevisionID("2-\(suffix)"), RevisionID("1-\(suffix)")]
                try document.forceInsert([:], history: history)
                let ids = try document.properties(including: .revisions)?["_revisions"]?["ids"]?.arrayValue ?? []
                #expect(ids.compactMap { $0.stringValue.map(bytes) } == [bytes(suffix), bytes(suffix)])
                #expect(try document.read().id == history[0])
                // What was read can be taken elsewhere.
                let properties = try #require(try document.properties(including: .revisions))
                #expect(try !document.forceInsert(properties))
                #expect(try document.put(properties).id.generation == 3)
            }
        }
    }

    @Test(arguments: Storage.all) func whatWasReadCanBeWrittenBack(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let document = bed.database["doc"]
            try document.put(["n": 1])
            try document.update { $0["n"] = 2 }
            try document.forceInsert(["n": 3], history: [RevisionID("1-b")])
            var properties = try #require(try document.properties(including: .all))
            #expect(properties.count == 7)
            properties["n"] = 4
            let saved = try document.put(properties)
            #expect(saved.text == #"{"n":4}"#)
            #expect(saved.id.generation == 3)
            expectError(.conflict) { try document.put(properties) }
            // The same through text.
            let text = try JSONValue.object(#require(try document.properties(including: .all))).canonicalBytes()
            #expect(try document.put(json: text).id.generation == 4)
        }
    }

    @Test(arguments: Storage.all) func areCheckedOnWrite(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let document = bed.database["doc"]
            try document.forceInsert([:], history: ["3-c", "2-b", "1-a"].map { try RevisionID($0) })
            let cases: [(String, StorageError.Code)] = [
                (#""_id":"other""#, .badRequest), (#""_id":1"#, .badJSON), (#""_rev":3"#, .badJSON),
                (#""_rev":"3c""#, .badRequest), (#""_deleted":1"#, .badJSON), (#""_removed":"yes""#, .badJSON),
                (#""_revisions":[]"#, .badJSON), (#""_revisions":{"start":3}"#, .badJSON),
                (#""_revisions":{"start":3,"ids":[]}"#, .badJSON),
                (#""_revisions":{"start":1,"ids":["b","a"]}"#, .badJSON),
                (#""_revisions":{"start":3,"ids":[1]}"#, .badJSON),
                (#""_revisions":{"start":"3","ids":["c"]}"#, .badJSON),
                (#""_revisions":{"start":3,"ids":["\u0007"]}"#, .badRequest),
                (#""_revs_info":{}"#, .badJSON), (#""_revs_info":[{"rev":"1-a"}]"#, .badJSON),
                (#""_revs_info":[{"rev":"a","status":"missing"}]"#, .badRequest), (#""_revs_info":["1-a"]"#, .badJSON),
                (#""_conflicts":"2-b""#, .badJSON), (#""_conflicts":[2]"#, .badJSON),
                (#""_conflicts":["b"]"#, .badRequest),
                (#""_deleted_conflicts":null"#, .badJSON), (#""_local_seq":-1"#, .badJSON),
                (#""_local_seq":"1""#, .badJSON),
                (#""_local_seq":1.5"#, .badJSON), (#""_x":1"#, .badJSON), (#""_":1"#, .badJSON),
                (#""_ID":"doc""#, .badJSON),
            ]
            for (members, code) in cases {
                expectError(code, "\(members)") { try document.put(json: "{\(members)}") }
                let properties = try #require(try JSONValue(parsing: "{\(members)}").objectValue)
                expectError(code, "\(members)") { try document.put(properties) }
                expectError(code, "\(members)") { try bed.database["new"].put(properties) }
            }
            #expect(try bed.database.lastSequence == 1)
            // Below the top level these names have no meaning.
            let saved = try document.put(json: #"{"_rev":"3-c","a":{"_id":1,"_x":2},"_local_seq":7,"_conflicts":[]}"#)
            #expect(saved.text == #"{"a":{"_id":1,"_x":2}}"#)
        }
    }

    @Test(arguments: Storage.all) func revisionsCountWhereRevDiffers(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let document = bed.database["doc"]
            try document.forceInsert(json: #"{"_rev":"2-x","_revisions":{"start":3,"ids":["c","b"]}}"#)
            #expect(try document.read().history().map(\.id.string) == ["3-c", "2-b"])
            expectError(.conflict) {
                try document.put(json: #"{"_rev":"3-c","_revisions":{"start":3,"ids":["d","b"]}}"#)
            }
            let other = try RevisionID("3-d")
            expectError(.badRequest) {
                try document.put(json: #"{"_rev":"3-d","_revisions":{"start":3,"ids":["c"]}}"#, parent: other)
            }
            let saved = try document.put(json: #"{"_rev":"3-d","_revisions":{"start":3,"ids":["c","b"]}}"#)
            #expect(try saved.history().dropFirst().map(\.id.string) == ["3-c", "2-b"])
            let alone = try document.put(json: #"{"_revisions":{"start":4,"ids":["\#(saved.id.suffix)"]}}"#)
            #expect(alone.id.generation == 5)
        }
    }

    @Test(arguments: Storage.all) func withdrawnDocumentsSaySo(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let document = bed.database["doc"]
            try document.forceInsert(json: #"{"_rev":"2-b","_id":"doc","_removed":true}"#)
            #expect(try document.read().text == #"{"_removed":true}"#)
            #expect(try document.possibleAncestors(of: RevisionID("3-x")) == [RevisionID("2-b")])
            #expect(try document.possibleAncestors(of: RevisionID("3-x"), withBodiesOnly: true).isEmpty)
            let saved = try document.put(["_rev": "2-b", "_removed": false, "n": 1])
            #expect(saved.text == #"{"_removed":false,"n":1}"#)
            #expect(try document.possibleAncestors(of: RevisionID("9-x"), withBodiesOnly: true) == [saved.id])
        }
    }
}
