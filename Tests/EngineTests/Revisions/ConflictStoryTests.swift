import Settee
import SetteeTestSupport
import Testing

/// The guides' story: Molly and Naomi change one document, each on her own device, and then synchronise.
@Suite struct ConflictStoryTests {
    /// Every pair of engines: the devices need not have the same one.
    static let devices = Storage.all.flatMap { molly in Storage.all.map { naomi in [molly, naomi] } }

    /// Brings every leaf of a document from one device to the other, as replication does.
    private func synchronise(from: Database, to: Database) throws {
        for leaf in try from["DocumentA"].leafRevisions() {
            let asked = try to.missingRevisions([leaf.documentID: [leaf.id]])
            if asked.isEmpty { continue }
            let history = try leaf.history().map(\.id)
            #expect(try to["DocumentA"].forceInsert(leaf.properties, history: history, isDeleted: leaf.isDeleted))
        }
    }

    private func revision(_ text: String) throws -> RevisionID { try RevisionID(text) }

    @Test(arguments: Storage.all) func theStoryWithItsOwnRevisionIDs(_ type: StorageType) throws {
        try withDatabase(type) { (molly) throws in
            try withDatabase(type) { (naomi) throws in
                let first = try revision("1-5ac")
                let (mollys, naomis) = try (revision("2-54a"), revision("2-877"))
                // Molly creates the document, and it is synced to Naomi.
                try molly.database["DocumentA"].forceInsert(["by": "Molly"], history: [first])
                try synchronise(from: molly.database, to: naomi.database)
                #expect(try naomi.database["DocumentA"].read().id == first)
                // Each makes a change of her own.
                try molly.database["DocumentA"].forceInsert(["by": "Molly", "n": 2], history: [mollys, first])
                try naomi.database["DocumentA"].forceInsert(["by": "Naomi", "n": 2], history: [naomis, first])
                #expect(try !molly.database["DocumentA"].isConflicted)
                // The changes travel in both directions.
                try synchronise(from: naomi.database, to: molly.database)
                #expect(try molly.database["DocumentA"].isConflicted)
                try synchronise(from: molly.database, to: naomi.database)
                #expect(try naomi.database["DocumentA"].isConflicted)
                // Both choose the higher ID, without asking each other.
                for device in [molly, naomi] {
                    let document = device.database["DocumentA"]
                    #expect(try document.read().id == naomis)
                    #expect(try document["by"] == "Naomi")
                    #expect(try document.conflictingRevisions().map(\.id) == [naomis, mollys])
                    #expect(try document.findCommonAncestor(of: mollys, with: [naomis])?.id == first)
                }
            }
        }
    }

    @Test(arguments: devices) func theWinnerFollowsTheRules(_ types: [StorageType]) throws {
        try withDatabase(types[0]) { (molly) throws in
            try withDatabase(types[1]) { (naomi) throws in
                let first = try molly.database["DocumentA"].put(["title": "draft"])
                try synchronise(from: molly.database, to: naomi.database)
                // The longest branch wins over the higher ID.
                let long = try naomi.database["DocumentA"].put(["title": "x"], parent: first.id)
                let longer = try naomi.database["DocumentA"].put(["title": "y"], parent: long.id)
                let short = try molly.database["DocumentA"].put(["title": "z"], parent: first.id)
                try synchronise(from: naomi.database, to: molly.database)
                try synchronise(from: molly.database, to: naomi.database)
                for device in [molly, naomi] { #expect(try device.database["DocumentA"].read().id == longer.id) }
                // A live leaf wins over a tombstone on a longer branch.
                let tombstone = try naomi.database["DocumentA"].delete()
                try synchronise(from: naomi.database, to: molly.database)
                for device in [molly, naomi] { #expect(try device.database["DocumentA"].read().id == short.id) }
                // Where all are tombstones, the longest branch wins.
                try molly.database["DocumentA"].delete()
                try synchronise(from: molly.database, to: naomi.database)
                for device in [molly, naomi] {
                    #expect(try device.database["DocumentA"].revision()?.id == tombstone.id)
                    #expect(try device.database["DocumentA"].currentRevision == nil)
                }
            }
        }
    }

    @Test(arguments: devices) func bothResolveAlikeAndAgree(_ types: [StorageType]) throws {
        try withDatabase(types[0]) { (molly) throws in
            try withDatabase(types[1]) { (naomi) throws in
                let first = try molly.database["DocumentA"].put(["n": 1])
                try synchronise(from: molly.database, to: naomi.database)
                try molly.database["DocumentA"].put(["n": 2, "who": "Molly"], parent: first.id)
                try naomi.database["DocumentA"].put(["n": 2, "who": "Naomi"], parent: first.id)
                try synchronise(from: naomi.database, to: molly.database)
                try synchronise(from: molly.database, to: naomi.database)
                for device in [molly, naomi] {
                    try device.database["DocumentA"].resolveConflict { leaves in
                        ["n": 3, "who": .array(leaves.compactMap { $0["who"] })]
                    }
                }
                // The same merge makes the same revisions: nothing is left to be synchronised.
                let leaves = try molly.database["DocumentA"].leafRevisions().map(\.id)
                #expect(try naomi.database["DocumentA"].leafRevisions().map(\.id) == leaves)
                #expect(leaves.count == 2)
                #expect(try molly.database.allDocuments(.init(onlyConflicts: true)).rows().isEmpty)
                #expect(try naomi.database["DocumentA"]["n"] == 3)
                #expect(try naomi.database["DocumentA"]["who"]?.arrayValue?.count == 2)
            }
        }
    }

    /// The other guide's story: one device pushes to the other twice.
    @Test(arguments: devices) func aPushMayBringAConflict(_ types: [StorageType]) throws {
        try withDatabase(types[0]) { (a) throws in
            try withDatabase(types[1]) { (b) throws in
                let foo = try revision("1-foo")
                let (bar, baz) = try (revision("2-bar"), revision("2-baz"))
                try a.database["DocumentA"].forceInsert(["v": "foo"], history: [foo])
                try synchronise(from: a.database, to: b.database)
                try a.database["DocumentA"].forceInsert(["v": "bar"], history: [bar, foo])
                try b.database["DocumentA"].forceInsert(["v": "baz"], history: [baz, foo])
                try synchronise(from: a.database, to: b.database)
                let document = b.database["DocumentA"]
                #expect(try document["v"] == "baz")
                #expect(try document.conflictingRevisions().map(\.id) == [baz, bar])
                #expect(try document.properties(including: .conflicts)?["_conflicts"] == ["2-bar"])
                // Delete the one that is not wanted, and put the merged copy on top of the other.
                try b.database.inTransaction {
                    try document.delete(parent: bar)
                    try document.put(["v": "bar and baz"], parent: baz)
                }
                #expect(try !document.isConflicted)
                #expect(try document["v"] == "bar and baz")
                // The device that pushed did not see any of it.
                #expect(try a.database["DocumentA"].read().id == bar)
            }
        }
    }
}
