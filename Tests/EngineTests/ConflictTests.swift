import Settee
import SetteeTestSupport
import Testing

@testable import SetteeEngine

/// Conflicts, which come from elsewhere with their histories: winners, losing leaves and their bodies.
@Suite struct ConflictTests {
    /// A document with the line 1-a, 2-a, 3-a, to which foreign branches are added.
    private func insert(
        _ database: Database,
        _ history: [String],
        _ body: String = "{}",
        isDeleted: Bool = false
    ) throws -> Bool {
        try database.forceInsert(
            DocumentID("x"),
            history: history.map { try RevisionID($0) },
            json: bytes(body),
            isDeleted: isDeleted
        )
    }

    private func body(_ database: Database, _ revision: String) throws -> String? {
        try database.revision(RevisionID(revision), of: DocumentID("x"))?.text
    }

    @Test(arguments: Storage.every) func theWinnerIsLiveThenLongThenHigh(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let database = bed.database
            func winner() throws -> String? { try database["x"].revision()?.id.string }
            #expect(try insert(database, ["2-b", "1-a"], #"{"is":"2-b"}"#))
            #expect(try winner() == "2-b")
            #expect(try insert(database, ["2-a", "1-a"], #"{"is":"2-a"}"#))
            #expect(try winner() == "2-b")
            #expect(try insert(database, ["2-c", "1-a"], #"{"is":"2-c"}"#))
            #expect(try winner() == "2-c")
            // Upper case before lower case: ASCII order.
            #expect(try insert(database, ["2-Z", "1-a"], #"{"is":"2-Z"}"#))
            #expect(try winner() == "2-c")
            #expect(try insert(database, ["10-a", "9-a", "8-a"], #"{"is":"10-a"}"#))
            #expect(try winner() == "10-a")
            #expect(try insert(database, ["99-z"], "{}", isDeleted: true))
            #expect(try winner() == "10-a")
            for revision in ["2-b", "2-a", "2-c", "2-Z", "10-a"] {
                #expect(try body(database, revision) == #"{"is":"\#(revision)"}"#)
            }
            #expect(try database["x"].read().text == #"{"is":"10-a"}"#)
            #expect(try database.documentCount == 1)
            #expect(try database.lastSequence == 6)
            let row = try #require(try database.allDocuments(.init(onlyConflicts: true)).rows().first)
            #expect(row.isConflicted)
            #expect(row.sequence == 6)
            #expect(row.revisionID.string == "10-a")
        }
    }

    @Test(arguments: Storage.every) func whatIsKnownChangesNothing(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let database = bed.database
            #expect(try insert(database, ["3-c", "2-b", "1-a"], #"{"n":3}"#))
            #expect(try !insert(database, ["3-c", "2-b", "1-a"], #"{"n":4}"#))
            #expect(try !insert(database, ["2-b", "1-a"], #"{"n":2}"#))
            #expect(try !insert(database, ["1-a"], #"{"n":1}"#))
            #expect(try database.lastSequence == 1)
            #expect(try body(database, "3-c") == #"{"n":3}"#)
            #expect(try body(database, "2-b") == nil)
            #expect(try database["x"].read().id.generation == 3)
        }
    }

    @Test(arguments: Storage.every) func deletingTheWinnerLetsTheNextOneRise(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let database = bed.database
            let document = database["x"]
            let first = try document.put(["is": "own"])
            #expect(try insert(database, ["2-b", first.id.string], #"{"is":"b"}"#))
            #expect(try insert(database, ["2-c", first.id.string], #"{"is":"c"}"#))
            #expect(try document["is"] == "c")

            let tombstone = try document.delete()
            #expect(tombstone.id.generation == 3)
            #expect(try document["is"] == "b")
            #expect(try document.read().id.string == "2-b")
            #expect(try body(database, tombstone.id.string) == "{}")
            #expect(try body(database, "2-c") == #"{"is":"c"}"#)
            #expect(try database.documentCount == 1)
            // The document's sequence is that of its newest revision.
            #expect(try database.changes(since: 3).rows().map(\.sequence) == [4])
            #expect(try database.allDocuments(.init(onlyConflicts: true)).ids() == [])

            let second = try document.delete(parent: RevisionID("2-b"))
            expectError(.deleted) { try document.read() }
            #expect(try document.revision()?.id == max(tombstone.id, second.id))
            #expect(try database.documentCount == 0)
            #expect(try document.put(["is": "new"]).id.generation == 4)
            #expect(try database.documentCount == 1)
        }
    }

    @Test(arguments: Storage.every) func aLosingLeafCanBeContinuedAndDeleted(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let database = bed.database
            let document = database["x"]
            #expect(try insert(database, ["2-b", "1-a"], #"{"is":"b"}"#))
            #expect(try insert(database, ["2-c", "1-a"], #"{"is":"c"}"#))
            // The loser wins by length.
            let third = try document.put(["is": "b3"], parent: RevisionID("2-b"))
            #expect(try document.read().id == third.id)
            #expect(try body(database, "2-c") == #"{"is":"c"}"#)
            #expect(try body(database, "2-b") == #"{"is":"b"}"#)
            // The new loser is deleted.
            let tombstone = try document.delete(parent: RevisionID("2-c"))
            #expect(try document.read().id == third.id)
            #expect(try document["is"] == "b3")
            #expect(try body(database, tombstone.id.string) == "{}")
            #expect(try database.documentCount == 1)
            // Neither an inner revision nor a known tombstone takes a child without conflict.
            expectError(.conflict) { try document.put([:], parent: RevisionID("1-a")) }
            expectError(.conflict) { try document.put([:], parent: RevisionID("2-c")) }
        }
    }

    @Test(arguments: Storage.every) func aForeignTombstoneLosesToALiveLeaf(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let database = bed.database
            #expect(try insert(database, ["7-dead", "6-x"], #"{"last":"words"}"#, isDeleted: true))
            #expect(try database.documentCount == 0)
            #expect(try database["x"].revision()?.text == #"{"last":"words"}"#)
            #expect(try insert(database, ["1-live"], #"{"n":1}"#))
            #expect(try database.documentCount == 1)
            #expect(try database["x"].read().id.string == "1-live")
            #expect(try body(database, "7-dead") == #"{"last":"words"}"#)
            try database["x"].delete()
            #expect(try database["x"].revision()?.id.string == "7-dead")
            #expect(try database["x"].revision()?.text == #"{"last":"words"}"#)
        }
    }

    @Test(arguments: Storage.every) func leavesKeepTheirBodiesThroughCompaction(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let database = bed.database
            let first = try database["x"].put(["n": 1])
            let second = try database["x"].put(["n": 2], parent: first.id)
            #expect(try insert(database, ["2-b", first.id.string], #"{"n":"b"}"#))
            let result = try database.compact()
            #expect(result.bodiesRemoved == 1)
            #expect(try body(database, first.id.string) == nil)
            #expect(try body(database, second.id.string) == #"{"n":2}"#)
            #expect(try body(database, "2-b") == #"{"n":"b"}"#)
            #expect(try database.revisionTree(of: DocumentID("x"))?.count == 3)
            #expect(try database.lastSequence == 3)
            #expect(try database.compact().bodiesRemoved == 0)
            try bed.reopen()
            #expect(try body(bed.database, "2-b") == #"{"n":"b"}"#)
            #expect(try bed.database["x"].put(["n": 3], parent: second.id).id.generation == 3)
        }
    }

    @Test(arguments: Storage.every) func malformedHistoriesAreRefused(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let database = bed.database
            #expect(try insert(database, ["2-b", "1-a"]))
            for history in [[], ["3-c", "1-a"], ["3-c", "3-b"], ["1-a", "2-b"], ["2-z", "2-y"]] as [[String]] {
                expectError(.badRequest, "\(history)") { try insert(database, history) }
            }
            expectError(.tooLarge) { try insert(database, (1...70_000).reversed().map { "\($0)-x" }) }
            for text in ["", "-", "1", "1-", "0-a", "01-a", "-1-a", "+1-a", "a-1", "9223372036854775808-a", "1-a\u{7}"]
            {
                expectError(.badRequest, "\(text)") { try insert(database, [text]) }
            }
            expectError(.badRequest) { try insert(database, ["1-" + String(repeating: "x", count: 254)]) }
            #expect(try insert(database, ["1-" + String(repeating: "x", count: 253)]))
            #expect(try database.lastSequence == 2)
        }
    }

    @Test(arguments: Storage.every) func localDocumentsHaveNoHistory(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            expectError(.badID) {
                try bed.database.forceInsert(
                    DocumentID("_local/x"),
                    history: [RevisionID("1-a")],
                    json: bytes("{}"),
                    isDeleted: false
                )
            }
            #expect(try bed.database.lastSequence == 0)
        }
    }

    @Test(arguments: Storage.every) func designDocumentsAreDocuments(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let design = DocumentID("_design/app")
            let revision = try RevisionID("1-a")
            #expect(try bed.database.forceInsert(design, history: [revision], json: bytes("{}"), isDeleted: false))
            expectError(.conflict) { try bed.database["_design/app"].put([:]) }
            let next = try bed.database["_design/app"].put(["language": "javascript"], parent: revision)
            try bed.database["_design/other"].put([:])
            #expect(try bed.database["_design/app"].read().id == next.id)
            #expect(try bed.database.allDocuments().ids() == ["_design/app", "_design/other"])
            #expect(try bed.database["_design/other"].delete().isDeleted)
            #expect(try bed.database["_design/app"].purge())
        }
    }
}
