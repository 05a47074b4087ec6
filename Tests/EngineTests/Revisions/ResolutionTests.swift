import Settee
import SetteeTestSupport
import Testing

/// Resolving a conflict leaves one live leaf, in one transaction, or changes nothing.
@Suite struct ResolutionTests {
    /// A document with three live leaves of different lengths, and one that is deleted already.
    private func makeConflict(_ database: Database) throws -> Document {
        let document = database["doc"]
        for (history, body) in [
            (["2-b", "1-a"], ["is": "b"]), (["2-c", "1-a"], ["is": "c"]), (["4-d", "3-d", "2-b"], ["is": "d"]),
            (["2-e", "1-a"], ["is": "e"]),
        ] as [([String], JSONObject)] {
            try document.forceInsert(body, history: history.map { try RevisionID($0) })
        }
        try document.forceInsert(["is": "gone"], history: [RevisionID("7-x")], isDeleted: true)
        return document
    }

    @Test(arguments: Storage.all, ["4-d", "2-c", "2-e"]) func byChoice(_ type: StorageType, _ kept: String) throws {
        try withDatabase(type) { (bed) throws in
            let document = try makeConflict(bed.database)
            #expect(try document.conflictingRevisions().map(\.id.string) == ["4-d", "2-e", "2-c"])
            let revision = try document.resolveConflict(keeping: RevisionID(kept))
            #expect(revision.id.string == kept)
            #expect(try document.read().id.string == kept)
            #expect(try document.read().text == revision.text)
            #expect(try document.conflictingRevisions().map(\.id.string) == [kept])
            #expect(try document.leafRevisions().count == 4)
            for leaf in try document.leafRevisions().dropFirst() where leaf.id.string != "7-x" {
                #expect(leaf.text == "{}")
                let parent = try leaf.parentID()?.string
                #expect(leaf.id.string == expectedRevisionID("{}", parent: parent, isDeleted: true))
            }
            // Again: there is nothing left to do.
            let sequence = try bed.database.lastSequence
            #expect(sequence == 7)
            #expect(try document.resolveConflict(keeping: RevisionID(kept)).id == revision.id)
            #expect(try document.resolveConflict { _ in [:] } == nil)
            expectError(.conflict) { try document.resolveConflict(merging: [:]) }
            #expect(try bed.database.lastSequence == sequence)
            #expect(try bed.database.allDocuments(.init(onlyConflicts: true)).ids() == [])
        }
    }

    @Test(arguments: Storage.all) func byMerge(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let document = try makeConflict(bed.database)
            let merged = try #require(
                try document.resolveConflict { leaves in
                    ["all": .array(leaves.compactMap { $0["is"] })]
                }
            )
            #expect(merged.text == #"{"all":["d","e","c"]}"#)
            #expect(try merged.parentID()?.string == "4-d")
            #expect(try document.read().id == merged.id)
            #expect(try document.conflictingRevisions().count == 1)
            #expect(try !document.isConflicted)
        }
    }

    @Test(arguments: Storage.all) func theMergeMayFollowAnyLiveLeaf(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let document = try makeConflict(bed.database)
            for strange in ["2-b", "7-x", "9-z"] {
                expectError(.conflict) { try document.resolveConflict(merging: [:], onto: RevisionID(strange)) }
                expectError(.conflict) { try document.resolveConflict(keeping: RevisionID(strange)) }
            }
            expectError(.badRequest) {
                try document.resolveConflict(merging: ["_rev": "4-d"], onto: RevisionID("2-c"))
            }
            expectError(.badRequest) { try document.resolveConflict(merging: ["_deleted": true]) }
            expectError(.badRequest) { try document.resolveConflict(merging: ["_id": "other"]) }
            expectError(.badJSON) { try document.resolveConflict(merging: ["_x": 1]) }
            expectError(.notFound) { try bed.database["other"].resolveConflict(keeping: RevisionID("1-a")) }
            expectError(.notFound) { try bed.database["other"].resolveConflict(merging: [:]) }
            #expect(try bed.database.lastSequence == 5)
            let merged = try document.resolveConflict(merging: ["_id": "doc", "_rev": "2-c", "is": "merged"])
            #expect(try merged.parentID()?.string == "2-c")
            #expect(try document.read().id == merged.id)
            #expect(try document.conflictingRevisions().count == 1)
        }
    }

    @Test(arguments: Storage.all) func nothingChangesWhereItThrows(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let document = try makeConflict(bed.database)
            let leaves = try document.leafRevisions().map(\.id)
            expectApplicationError(3) {
                try document.resolveConflict { _ in throw ApplicationError(number: 3) }
            }
            expectApplicationError(4) {
                try bed.database.inTransaction {
                    try document.resolveConflict(keeping: RevisionID("2-c"))
                    #expect(try !document.isConflicted)
                    throw ApplicationError(number: 4)
                }
            }
            #expect(try document.leafRevisions().map(\.id) == leaves)
            #expect(try bed.database.lastSequence == 5)
            // A refusal does not harm the transaction, which continues.
            try bed.database.inTransaction {
                expectError(.conflict) { try document.resolveConflict(keeping: RevisionID("2-b")) }
                try bed.database["other"].put([:])
            }
            #expect(try bed.database["other"].exists)
        }
    }

    @Test(arguments: Storage.all) func designDocumentsAreMergedLikeOthers(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let design = bed.database["_design/app"]
            for suffix in ["a", "b"] { try design.forceInsert([:], history: [RevisionID("1-\(suffix)")]) }
            let merged = try design.resolveConflict(merging: ["n": .int(1)])
            #expect(try design.read().id == merged.id)
            #expect(try design.conflictingRevisions().count == 1)
        }
    }

    @Test(arguments: Storage.all) func threadsThatResolveAtOnceLeaveOneLeaf(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let document = bed.database["doc"]
            let database = bed.database
            for number in 0..<20 {
                try document.forceInsert(["n": .int(1)], history: [RevisionID("1-\(number)")])
            }
            try onThreads(4) { number in
                if number == 0 {
                    for suffix in 0..<10 {
                        try database["doc"].forceInsert(["n": .int(1)], history: [RevisionID("1-x\(suffix)")])
                    }
                } else {
                    for _ in 0..<5 {
                        try database["doc"].resolveConflict { leaves in
                            ["n": .int(leaves.reduce(0) { $0 + ($1["n"]?.intValue ?? 0) })]
                        }
                    }
                }
            }
            try document.resolveConflict { leaves in
                ["n": .int(leaves.reduce(0) { $0 + ($1["n"]?.intValue ?? 0) })]
            }
            #expect(try document["n"] == 30)
            #expect(try document.conflictingRevisions().count == 1)
        }
    }
}
