import Settee
import SetteeTestSupport
import Testing

/// Multi-version concurrency: which revision a change may follow.
@Suite struct ParentTests {
    @Test(arguments: Storage.all) func aLiveDocumentNeedsItsCurrentRevision(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let document = bed.database["x"]
            let first = try document.put(["n": 1])
            expectError(.conflict) { try document.put(["n": 2]) }
            expectError(.conflict) { try document.put(["n": 1]) }
            expectError(.conflict) { try document.put(["n": 2], parent: RevisionID("1-unknown")) }
            expectError(.conflict) { try document.put(["_deleted": true]) }
            let second = try document.put(["n": 2], parent: first.id)
            expectError(.conflict) { try document.put(["n": 3], parent: first.id) }
            expectError(.conflict) { try document.delete(parent: first.id) }
            expectError(.conflict) { try document.delete(parent: RevisionID("2-unknown")) }
            #expect(try document.read().id == second.id)
        }
    }

    @Test(arguments: Storage.all) func theParentMayStandInTheBody(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let document = bed.database["x"]
            let first = try document.put(["n": 1])
            let rev = JSONValue.string(first.id.string)
            expectError(.conflict) { try document.put(["n": 2, "_rev": "1-unknown"]) }
            expectError(.badRequest) { try document.put(["n": 2, "_rev": "1-unknown"], parent: first.id) }
            expectError(.badRequest) { try document.put(["n": 2, "_rev": "malformed"]) }
            let second = try document.put(["n": 2, "_rev": rev])
            #expect(second.text == #"{"n":2}"#)
            let again = JSONValue.string(second.id.string)
            #expect(try document.put(["_rev": again], parent: second.id).id.generation == 3)
        }
    }

    @Test(arguments: Storage.all) func anotherIDInTheBodyIsRefused(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            #expect(try bed.database["x"].put(["_id": "x", "n": 1]).text == #"{"n":1}"#)
            expectError(.badRequest) { try bed.database["y"].put(["_id": "x"]) }
            // Identity is bytes.
            expectError(.badRequest) { try bed.database["caf\u{E9}"].put(["_id": "cafe\u{301}"]) }
            #expect(try bed.database["caf\u{E9}"].put(["_id": "caf\u{E9}"]).id.generation == 1)
            expectError(.badJSON) { try bed.database["z"].put(["_id": 1]) }
            expectError(.badJSON) { try bed.database["z"].put(["_rev": 1]) }
            expectError(.badJSON) { try bed.database["z"].put(["_deleted": "yes"]) }
        }
    }

    @Test(arguments: Storage.all) func aMissingDocumentHasNoRevisionToFollow(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            expectError(.notFound) { try bed.database["x"].put([:], parent: RevisionID("1-a")) }
            expectError(.notFound) { try bed.database["x"].put(["_rev": "1-a"]) }
            expectError(.notFound) { try bed.database["x"].delete(parent: RevisionID("1-a")) }
            #expect(try bed.database.lastSequence == 0)
        }
    }

    @Test(arguments: Storage.all) func withoutParentATombstoneIsContinued(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let document = bed.database["x"]
            let first = try document.put(["n": 1])
            let tombstone = try document.delete()
            let third = try document.put(["n": 3])
            #expect(third.id.string == expectedRevisionID(#"{"n":3}"#, parent: tombstone.id.string))
            #expect(try document.read().text == #"{"n":3}"#)
            #expect(try bed.database.documentCount == 1)
            let line = try #require(try bed.database.revisionTree(of: DocumentID("x"))).history(of: third.id)
            #expect(line.map(\.id) == [third.id, tombstone.id, first.id])
            #expect(line.map(\.sequence) == [3, 2, 1])
            #expect(line.map(\.isDeleted) == [false, true, false])
        }
    }

    @Test(arguments: Storage.all) func deletingTheDeletedIsNoConflict(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let document = bed.database["x"]
            let first = try document.put(["n": 1])
            let tombstone = try document.delete(parent: first.id)
            #expect(try document.delete().id == tombstone.id)
            #expect(try document.delete(parent: tombstone.id).id == tombstone.id)
            #expect(try document.delete(parent: first.id).id == tombstone.id)
            expectError(.conflict) { try document.delete(parent: RevisionID("1-unknown")) }
            #expect(try bed.database.lastSequence == 2)
        }
    }

    @Test(arguments: Storage.all) func aTombstoneMayHaveABody(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let document = bed.database["x"]
            let first = try document.put(["n": 1])
            let tombstone = try document.put(["_deleted": true, "why": "sold"], parent: first.id)
            #expect(tombstone.isDeleted)
            let expected = expectedRevisionID(#"{"why":"sold"}"#, parent: first.id.string, isDeleted: true)
            #expect(tombstone.id.string == expected)
            #expect(try document.revision()?.text == #"{"why":"sold"}"#)
            #expect(try document.properties == nil)
            // The existing tombstone is the answer, unchanged.
            #expect(try document.delete().text == #"{"why":"sold"}"#)
            #expect(try document.delete(parent: tombstone.id).text == #"{"why":"sold"}"#)
            #expect(try bed.database.documentCount == 0)
        }
    }

    @Test(arguments: Storage.all) func aDocumentMayBeginAsATombstone(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let tombstone = try bed.database["x"].put(["_deleted": true])
            #expect(tombstone.id.string == expectedRevisionID("{}", isDeleted: true))
            #expect(try bed.database.documentCount == 0)
            expectError(.deleted) { try bed.database["x"].read() }
            #expect(try bed.database["y"].put(["_deleted": false]).isDeleted == false)
        }
    }

    /// Another branch may hold, with a false history, the very revision that a change would make.
    @Test(arguments: Storage.all) func aRevisionThatIsKnownElsewhereIsNotMadeTwice(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let document = bed.database["x"]
            let id = DocumentID("x")
            let first = try document.put(["n": 1])
            let next = try RevisionID(expectedRevisionID(#"{"n":2}"#, parent: first.id.string))
            let liar = try RevisionID("1-liar")
            #expect(try bed.database.forceInsert(id, history: [next, liar], json: bytes(#"{"n":2}"#), isDeleted: true))
            expectError(.exists) { try document.put(["n": 2], parent: first.id) }
            expectError(.exists) { try document.update { $0["n"] = 2 } }
            #expect(try document.read().id == first.id)
            #expect(try document.put(["n": 3], parent: first.id).id.generation == 2)
        }
    }
}
