import Settee
import SetteeTestSupport
import Testing

@testable import SetteeEngine

/// Each leaf keeps the 20 newest revisions of its own line; bodies of pruned revisions go.
@Suite struct PruningTests {
    @Test(arguments: Storage.all) func aLineKeepsTwentyRevisions(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let database = bed.database
            let id = DocumentID("x")
            var line: [SavedRevision] = []
            try database.inTransaction {
                for number in 1...1000 {
                    line.append(try database["x"].put(["n": .int(Int64(number))], parent: line.last?.id))
                }
            }
            let tree = try #require(try database.revisionTree(of: id))
            #expect(tree.nodes.map(\.id) == line.suffix(20).reversed().map(\.id))
            #expect(tree.nodes.map(\.sequence) == (981...1000).reversed().map { UInt64($0) })
            for revision in line.suffix(20) {
                #expect(try database.revision(revision.id, of: id)?.text == revision.text)
            }
            for revision in line.prefix(980) { #expect(try database.revision(revision.id, of: id) == nil) }
            #expect(try database["x"].read().id.generation == 1000)
            #expect(try keptBodies(bed) == 19)
            // Every revision's ID follows from its parent's, even beyond the cut.
            for (older, newer) in zip(line, line.dropFirst()) {
                #expect(newer.id.string == expectedRevisionID(newer.text, parent: older.id.string))
            }
            expectError(.conflict) { try database["x"].put([:], parent: line[0].id) }
            try database.compact()
            #expect(try keptBodies(bed) == 0)
        }
    }

    @Test(arguments: Storage.all) func everyLeafKeepsItsOwnLine(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let database = bed.database
            let id = DocumentID("x")
            var line = [try database["x"].put(["n": 1])]
            line.append(try database["x"].put(["n": 2], parent: line[0].id))
            // The branch leaves the line at generation 1 and stays short, so that it keeps the root.
            let branch = try RevisionID("2-branch")
            #expect(
                try database.forceInsert(id, history: [branch, line[0].id], json: bytes(#"{"b":1}"#), isDeleted: false)
            )
            for number in 3...60 {
                line.append(try database["x"].put(["n": .int(Int64(number))], parent: line.last?.id))
            }
            let tree = try #require(try database.revisionTree(of: id))
            #expect(tree.count == 22)
            #expect(tree.history(of: branch).map(\.id) == [branch, line[0].id])
            #expect(tree.leaves.map(\.id) == [line[59].id, branch])
            #expect(try database.revision(branch, of: id)?.text == #"{"b":1}"#)
            #expect(try database.revision(line[0].id, of: id)?.text == #"{"n":1}"#)
            #expect(try keptBodies(bed) == 21)
            // Once the winner is deleted the branch wins, with its body.
            try database["x"].delete()
            #expect(try database["x"].read().id == branch)
        }
    }

    @Test(arguments: Storage.all) func aLongForeignHistoryIsPrunedOnArrival(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let database = bed.database
            let first = try database["x"].put(["n": 1])
            let history = try (2...50).reversed().map { try RevisionID("\($0)-f") } + [first.id]
            #expect(try database.forceInsert(DocumentID("x"), history: history, json: bytes("{}"), isDeleted: false))
            #expect(try database.revisionTree(of: DocumentID("x"))?.count == 20)
            #expect(try database.revision(first.id, of: DocumentID("x")) == nil)
            #expect(try keptBodies(bed) == 0)

            let long = try (1...300).reversed().map { try RevisionID("\($0)-g") }
            #expect(try database.forceInsert(DocumentID("y"), history: long, json: bytes("{}"), isDeleted: true))
            #expect(try database.revisionTree(of: DocumentID("y"))?.count == 20)
            #expect(try database.documentCount == 1)
        }
    }

    @Test(arguments: Storage.all) func purgingLeavesNoBodyBehind(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let database = bed.database
            for _ in 1...5 { try database["x"].update { $0["n"] = .int(($0["n"]?.intValue ?? 0) + 1) } }
            for suffix in ["a", "b"] {
                let revision = try RevisionID("9-\(suffix)")
                #expect(
                    try database.forceInsert(DocumentID("x"), history: [revision], json: bytes("{}"), isDeleted: false)
                )
            }
            #expect(try keptBodies(bed) == 6)
            #expect(try database["x"].purge())
            #expect(try keptBodies(bed) == 0)
            #expect(try database.documentCount == 0)
        }
    }

    /// How many bodies the store keeps beside the winners'.
    private func keptBodies(_ bed: TestDatabase) throws -> Int {
        try bed.engine().read { (transaction) throws(StorageError) in
            var count = 0
            try transaction.revisionBodies { (_, _, _) throws(StorageError) in
                count += 1
                return true
            }
            return count
        }
    }
}
