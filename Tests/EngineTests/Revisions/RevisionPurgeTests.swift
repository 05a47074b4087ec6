import Settee
import SetteeTestSupport
import Testing

/// Purging single revisions: leaves are removed with what no other leaf needs, and without a trace.
@Suite struct RevisionPurgeTests {
    private func ids(_ texts: String...) throws -> [RevisionID] { try texts.map { try RevisionID($0) } }

    private func makeTree(_ database: Database) throws -> Document {
        let document = database["doc"]
        try document.forceInsert(["is": "a"], history: ids("3-a", "2-a", "1-a"))
        try document.forceInsert(["is": "b"], history: ids("4-b", "3-b", "2-a"))
        try document.forceInsert(["is": "c"], history: ids("5-c", "4-c"), isDeleted: true)
        return document
    }

    @Test(arguments: Storage.all) func theWinnerGoesAndTheNextOneRises(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let document = try makeTree(bed.database)
            #expect(try document.purge(revisions: ids("4-b")).map(\.string).sorted() == ["3-b", "4-b"])
            #expect(try document.read().id.string == "3-a")
            #expect(try document.read().text == #"{"is":"a"}"#)
            #expect(try document.revision(RevisionID("4-b")) == nil)
            #expect(try document.leafRevisions().map(\.id.string) == ["3-a", "5-c"])
            #expect(try !document.isConflicted)
            #expect(try bed.database.documentCount == 1)
            // The purge takes a sequence, which becomes the document's.
            #expect(try bed.database.lastSequence == 4)
            #expect(try document.read().sequence == 4)
            #expect(try bed.database.changes(since: 3).rows().map(\.revisionID.string) == ["3-a"])
            try bed.reopen()
            #expect(try bed.database["doc"].read().id.string == "3-a")
            #expect(try bed.database["doc"].put(["is": "d"], parent: RevisionID("3-a")).sequence == 5)
        }
    }

    @Test(arguments: Storage.all) func aLoserGoesAlone(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let document = try makeTree(bed.database)
            #expect(
                try document.purge(revisions: ids("3-a", "5-c", "2-a", "9-x")).map(\.string).sorted() == [
                    "3-a", "4-c", "5-c",
                ]
            )
            #expect(try document.read().id.string == "4-b")
            #expect(try document.history().map(\.id.string) == ["4-b", "3-b", "2-a", "1-a"])
            #expect(try document.leafRevisions().count == 1)
            // Revisions that are not leaves are passed over.
            #expect(try document.purge(revisions: ids("2-a", "7-x")).isEmpty)
            #expect(try bed.database["other"].purge(revisions: ids("1-a")).isEmpty)
            #expect(try bed.database.lastSequence == 4)
            // It may come back from elsewhere.
            #expect(try document.forceInsert(["is": "a"], history: ids("3-a", "2-a", "1-a")))
            #expect(try document.isConflicted)
        }
    }

    @Test(arguments: Storage.all) func theLastLiveLeafLeavesATombstone(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let document = try makeTree(bed.database)
            #expect(try document.purge(revisions: ids("4-b", "3-a")).count == 5)
            #expect(try document.revision()?.id.string == "5-c")
            #expect(try document.revision()?.text == #"{"is":"c"}"#)
            #expect(try !document.exists)
            #expect(try bed.database.documentCount == 0)
        }
    }

    @Test(arguments: Storage.all) func allLeavesAreTheDocument(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let document = try makeTree(bed.database)
            #expect(try document.purge(revisions: document.leafRevisions().map(\.id)).count == 7)
            #expect(try document.revision() == nil)
            #expect(try bed.database.documentCount == 0)
            #expect(try bed.database.changes(since: 0).ids() == [])
        }
    }

    @Test(arguments: Storage.all) func severalDocumentsInOneTransaction(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            _ = try makeTree(bed.database)
            try bed.database["x"].forceInsert([:], history: ids("1-x"))
            let (doc, x, none) = (DocumentID("doc"), DocumentID("x"), DocumentID("none"))
            let local = DocumentID("_local/l")
            expectError(.badID) { try bed.database.purge(revisions: [x: ids("1-x"), local: ids("1-local")]) }
            #expect(try bed.database["x"].exists)
            let gone = try bed.database.purge(revisions: [doc: ids("3-a"), x: ids("1-x"), none: ids("1-a")])
            #expect(gone == (try [doc: ids("3-a"), x: ids("1-x")]))
            #expect(try bed.database.lastSequence == 6)
            expectApplicationError(1) {
                try bed.database.inTransaction {
                    try bed.database["doc"].purge(revisions: ids("4-b"))
                    throw ApplicationError(number: 1)
                }
            }
            #expect(try bed.database["doc"].read().id.string == "4-b")
        }
    }

    @Test(arguments: Storage.all) func compactionGoesOnAfterIt(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let document = bed.database["doc"]
            let first = try document.put(["n": 1])
            let second = try document.put(["n": 2], parent: first.id)
            try document.forceInsert(["n": 3], history: [RevisionID("2-zz"), first.id])
            try document.purge(revisions: ids("2-zz"))
            #expect(try document.read().text == second.text)
            #expect(try bed.database.compact().bodiesRemoved == 1)
            #expect(try document.read().text == second.text)
            #expect(try document.purge(revisions: [second.id]) == [second.id, first.id])
            #expect(try document.revision() == nil)
        }
    }
}
