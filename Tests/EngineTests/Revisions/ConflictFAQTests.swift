import Settee
import SetteeTestSupport
import Testing

/// What users ask about conflicts, one test for each question of the guides.
@Suite struct ConflictFAQTests {
    /// Makes a document with two live leaves, its own one and a foreign one that wins.
    private func makeConflict(
        _ database: Database
    ) throws -> (first: SavedRevision, own: SavedRevision, foreign: RevisionID) {
        let first = try database["doc"].put(["v": 1])
        let own = try database["doc"].put(["v": 2, "from": "here"], parent: first.id)
        let foreign = try RevisionID("2-zz")
        try database["doc"].forceInsert(["v": 2, "from": "there"], history: [foreign, first.id])
        return (first, own, foreign)
    }

    /// Both devices make the same change: is that a conflict?
    @Test(arguments: ConflictStoryTests.devices) func theSameChangeIsNoConflict(_ types: [StorageType]) throws {
        try withDatabase(types[0]) { (one) throws in
            try withDatabase(types[1]) { (other) throws in
                let steps: [JSONObject] = [["a": 1], ["a": 2, "é": [1.5, nil]], ["_deleted": true, "why": "done"]]
                var last: [RevisionID] = []
                for body in steps {
                    last = try [one, other].map { bed in
                        let parent = try bed.database["doc"].revision()?.id
                        return try bed.database["doc"].put(body, parent: parent).id
                    }
                    #expect(last[0] == last[1])
                }
                let revision = try #require(try one.database["doc"].revision())
                let history = try revision.history().map(\.id)
                #expect(history.count == 3)
                #expect(try !other.database["doc"].forceInsert(revision.properties, history: history, isDeleted: true))
                #expect(try other.database["doc"].leafRevisions().map(\.id) == [revision.id])
                #expect(try !other.database["doc"].isConflicted)
            }
        }
    }

    /// The document was deleted, but it is still there, with other properties: what happened?
    @Test(arguments: Storage.all) func aDeletedDocumentIsStillThere(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let document = bed.database["doc"]
            let (_, own, foreign) = try makeConflict(bed.database)
            #expect(try document.read().id == foreign)
            try document.delete()
            #expect(try document.read().id == own.id)
            #expect(try document["from"] == "here")
            #expect(try bed.database.documentCount == 1)
            // Deleted again, it is gone.
            try document.delete()
            #expect(try !document.exists)
            #expect(try bed.database.documentCount == 0)
        }
    }

    @Test(arguments: Storage.all) func allBranchesCanBeDeletedAtOnce(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let document = bed.database["doc"]
            expectError(.notFound) { try document.deleteAllBranches() }
            _ = try makeConflict(bed.database)
            let tombstone = try document.deleteAllBranches()
            #expect(tombstone.isDeleted)
            #expect(try document.revision()?.id == tombstone.id)
            #expect(try document.leafRevisions().map(\.isDeleted) == [true, true])
            #expect(try bed.database.documentCount == 0)
            let sequence = try bed.database.lastSequence
            #expect(try document.deleteAllBranches().id == tombstone.id)
            #expect(try bed.database.lastSequence == sequence)
        }
    }

    /// How to get the properties of the common ancestor, for a three-way merge?
    @Test(arguments: Storage.all) func theCommonAncestorMayStillBeThere(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let document = bed.database["doc"]
            let (first, own, foreign) = try makeConflict(bed.database)
            let ancestor = try #require(try document.findCommonAncestor(of: own.id, with: [foreign]))
            #expect(ancestor.id == first.id)
            #expect(ancestor.status == .available)
            #expect(try ancestor.revision()?.properties == first.properties)
            #expect(try document.read().parent()?.id == first.id)
            // The merge may read it, in the same transaction.
            let merged = try document.resolveConflict { leaves in
                let base = try #require(try leaves[0].parent())
                let changed = leaves.filter { $0["v"] != base["v"] }.count
                return ["v": .int(Int64(changed))]
            }
            #expect(merged?["v"] == 2)
        }
    }

    @Test(arguments: Storage.all) func theCommonAncestorMayBeGone(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let (first, own, foreign) = try makeConflict(bed.database)
            try bed.database.compact()
            let document = bed.database["doc"]
            #expect(try document.read().parent() == nil)
            #expect(try document.read().parentID() == first.id)
            let ancestor = try #require(try document.findCommonAncestor(of: own.id, with: [foreign]))
            #expect(ancestor.id == first.id)
            #expect(ancestor.status == .missing)
            #expect(try ancestor.revision() == nil)
        }
    }

    /// How to tell whether a document has a conflict?
    @Test(arguments: Storage.all) func aDocumentTellsItsConflicts(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let document = bed.database["doc"]
            #expect(try document.conflictingRevisions().isEmpty)
            #expect(try !document.isConflicted)
            let (_, own, foreign) = try makeConflict(bed.database)
            #expect(try document.conflictingRevisions().map(\.id) == [foreign, own.id])
            #expect(try document.isConflicted)
            try document.resolveConflict(keeping: own.id)
            #expect(try document.conflictingRevisions().map(\.id) == [own.id])
            #expect(try !document.isConflicted)
            try document.delete()
            #expect(try document.conflictingRevisions().isEmpty)
        }
    }

    /// How to tell whether there are any conflicts in the database?
    @Test(arguments: Storage.all) func aDatabaseTellsItsConflicts(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            for name in ["a", "b", "c"] { try bed.database[name].put([:]) }
            #expect(try bed.database.allDocuments(.init(onlyConflicts: true)).rows().isEmpty)
            let (_, own, foreign) = try makeConflict(bed.database)
            for suffix in ["y", "z"] { try bed.database["b"].forceInsert([:], history: [RevisionID("1-\(suffix)")]) }
            #expect(try bed.database.allDocuments(.init(onlyConflicts: true)).ids() == ["b", "doc"])
            #expect(
                try bed.database.allDocuments(.init(limit: 1, descending: true, onlyConflicts: true)).ids() == ["doc"]
            )
            #expect(try bed.database.allDocuments(.init(onlyConflicts: true)).ids() == ["b", "doc"])
            let row = try #require(
                try bed.database.allDocuments(.init(startKey: "doc", onlyConflicts: true)).rows().first
            )
            #expect(try row.document.conflictingRevisions().map(\.id) == [foreign, own.id])
        }
    }
}
