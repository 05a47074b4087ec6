import Settee
import SetteeTestSupport
import Testing

/// Revisions from elsewhere, and what replication asks before they are sent.
@Suite struct ForceInsertTests {
    private func ids(_ texts: [String]) throws -> [RevisionID] { try texts.map { try RevisionID($0) } }

    @Test(arguments: Storage.all) func theHistoryMayComeWithTheBody(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let document = bed.database["doc"]
            let body = #"{"_id":"doc","_rev":"3-c","_revisions":{"start":3,"ids":["c","b","a"]},"n":1}"#
            #expect(try document.forceInsert(json: body))
            #expect(try document.read().text == #"{"n":1}"#)
            #expect(try document.history().map(\.id.string) == ["3-c", "2-b", "1-a"])
            // Again, in each form: nothing changes.
            #expect(try !document.forceInsert(json: body))
            #expect(try !document.forceInsert(json: bytes(body), history: ids(["3-c", "2-b", "1-a"])))
            #expect(try !document.forceInsert(["_rev": "3-c", "n": 2]))
            #expect(try !document.forceInsert(["n": 2], history: ids(["3-c"])))
            #expect(try bed.database.lastSequence == 1)
            // More of the history may be given than the body has, but nothing that contradicts it.
            #expect(
                try document.forceInsert(
                    ["_rev": "5-e", "_revisions": ["start": 5, "ids": ["e", "d"]]],
                    history: ids(["5-e", "4-d", "3-c"]),
                    source: "there"
                )
            )
            #expect(try document.leafRevisions().count == 1)
            let other = bed.database["other"]
            for (properties, history) in [
                (["_rev": "1-b"], ["1-a"]), (["_id": "doc"], ["1-a"]), ([:], []),
                (["_revisions": ["start": 2, "ids": ["b", "a"]]], ["2-b", "1-x"]),
                ([:], ["3-c", "1-a"]),
            ] as [(JSONObject, [String])] {
                expectError(.badRequest, "\(history)") { try other.forceInsert(properties, history: ids(history)) }
            }
            expectError(.badID) { try bed.database["_local/x"].forceInsert([:], history: ids(["1-a"])) }
            #expect(try other.revision() == nil)
        }
    }

    @Test(arguments: Storage.all) func branchesJoinWhereTheyAreKnown(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let document = bed.database["doc"]
            try document.forceInsert(["n": 1], history: ids(["4-a", "3-a", "2-a", "1-a"]))
            try document.forceInsert(["n": 2], history: ids(["4-b", "3-b", "2-a", "1-a"]))
            try document.forceInsert(["n": 3], history: ids(["3-c", "2-c", "1-c"]))
            try document.forceInsert(["n": 4], history: ids(["5-d", "4-a"]), isDeleted: true)
            #expect(try document.leafRevisions().map(\.id.string) == ["4-b", "3-c", "5-d"])
            #expect(try document.leafRevisions().map(\.isDeleted) == [false, false, true])
            #expect(try document.history().map(\.id.string) == ["4-b", "3-b", "2-a", "1-a"])
            #expect(try document.revision(RevisionID("3-c"))?.history().map(\.id.string) == ["3-c", "2-c", "1-c"])
            // The superseded one keeps its body, ancestors have none.
            #expect(try document.revision(RevisionID("4-a"))?.text == #"{"n":1}"#)
            #expect(try document.revision(RevisionID("3-b")) == nil)
            // A revision that came as an ancestor is known, and stays as it is.
            #expect(try !document.forceInsert(["n": 9], history: ids(["3-b", "2-a"])))
            #expect(try document.revision(RevisionID("3-b")) == nil)
            func common(_ id: String, _ others: [String]) throws -> String? {
                try document.findCommonAncestor(of: RevisionID(id), with: ids(others))?.id.string
            }
            #expect(try common("4-b", ["5-d"]) == "2-a")
            #expect(try common("5-d", ["4-b", "3-c"]) == "2-a")
            #expect(try common("5-d", ["4-a", "4-b"]) == "4-a")
            #expect(try common("3-a", ["5-d"]) == "3-a")
            #expect(try common("3-c", ["4-b", "5-d"]) == nil)
            #expect(try common("3-c", ["3-c"]) == "3-c")
            #expect(try common("9-x", ["3-c"]) == nil)
            #expect(try common("3-c", ["9-x"]) == nil)
            #expect(try common("3-c", []) == nil)
            #expect(try bed.database["none"].findCommonAncestor(of: RevisionID("1-a"), with: ids(["1-a"])) == nil)
        }
    }

    @Test(arguments: Storage.all) func possibleAncestorsAreLeavesFirst(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let document = bed.database["doc"]
            func possible(_ id: String, limit: Int? = nil, bodies: Bool = false) throws -> [String] {
                try document.possibleAncestors(of: RevisionID(id), limit: limit, withBodiesOnly: bodies).map(\.string)
            }
            #expect(try possible("5-x").isEmpty)
            try document.forceInsert([:], history: ids(["3-a", "2-a", "1-a"]))
            try document.forceInsert([:], history: ids(["4-b", "3-b", "2-a"]))
            try document.forceInsert([:], history: ids(["2-c"]), isDeleted: true)
            #expect(try possible("5-x") == ["4-b", "3-a", "2-c"])
            #expect(try possible("5-x", limit: 2) == ["4-b", "3-a"])
            #expect(try possible("5-x", limit: 0).isEmpty)
            #expect(try possible("4-x") == ["3-a", "2-c"])
            #expect(try possible("3-x") == ["2-c"])
            // There are no leaves below that generation: inner revisions are returned.
            #expect(try possible("2-x") == ["1-a"])
            #expect(try possible("2-x", bodies: true).isEmpty)
            #expect(try possible("1-x").isEmpty)
            expectError(.badParameter) { try possible("5-x", limit: -1) }
        }
    }

    @Test(arguments: Storage.all) func missingRevisionsAreAnswered(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            try bed.database["a"].forceInsert([:], history: ids(["3-a", "2-a", "1-a"]))
            try bed.database["b"].forceInsert([:], history: ids(["1-b"]))
            let (a, b, c) = (DocumentID("a"), DocumentID("b"), DocumentID("c"))
            let answer = try bed.database.missingRevisions([
                a: ids(["5-x", "3-a", "2-a", "4-y", "5-x"]), b: ids(["1-b"]), c: ids(["2-c", "1-c"]),
            ])
            #expect(answer.count == 2)
            #expect(answer[a] == (try MissingRevisions(missing: ids(["5-x", "4-y"]), possibleAncestors: ids(["3-a"]))))
            #expect(answer[c] == (try MissingRevisions(missing: ids(["2-c", "1-c"]), possibleAncestors: [])))
            #expect(try bed.database.missingRevisions([:]).isEmpty)
            #expect(try bed.database.missingRevisions([c: []]).isEmpty)
            let local = DocumentID("_local/x")
            expectError(.badID) { try bed.database.missingRevisions([local: ids(["1-a"])]) }
        }
    }
}
