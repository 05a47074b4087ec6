import Foundation
import Settee
import SetteeTestSupport
import Testing

/// Creating, reading, updating, deleting and purging one document.
@Suite struct DocumentTests {
    @Test(arguments: Storage.all) func aHandleWritesNothingUntilItIsSaved(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let database = bed.database
            let own = database["own"]
            let generated = database.makeDocument()
            #expect(try !own.exists)
            #expect(try own.properties == nil)
            #expect(try database.documentCount == 0)
            #expect(try database.lastSequence == 0)
            #expect(try database.allDocuments(.init(includeDeleted: true)).ids() == [])

            try own.put(["a": 1])
            try generated.put(["b": 2])
            #expect(try own.exists)
            #expect(try database[generated.id]["b"] == 2)
            #expect(try database.documentCount == 2)
            #expect(try database.lastSequence == 2)
        }
    }

    @Test(arguments: Storage.all) func generatedIDsAreDistinctUUIDs(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let ids = (0..<1000).map { _ in bed.database.makeDocument().id.string }
            #expect(Set(ids).count == 1000)
            #expect(ids.allSatisfy { UUID(uuidString: $0) != nil && $0 == $0.lowercased() })
        }
    }

    @Test(arguments: Storage.all) func whatIsSavedIsRead(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let document = bed.database["978-0061120053"]
            let saved = try document.put(["title": "Little, Big", "published": 1982, "tags": ["novel", nil]])
            let read = try document.read()
            #expect(read.id == saved.id)
            #expect(read.sequence == 1)
            #expect(saved.sequence == 1)
            #expect(read.documentID.string == "978-0061120053")
            #expect(!read.isDeleted)
            #expect(read.text == #"{"published":1982,"tags":["novel",null],"title":"Little, Big"}"#)
            #expect(read.json == saved.json)
            #expect(read["title"] == "Little, Big")
            #expect(read["none"] == nil)
            #expect(try document["published"] == 1982)
            let annotated = try read.annotatedProperties
            #expect(annotated["_id"] == "978-0061120053")
            #expect(annotated["_rev"] == .string(saved.id.string))
            #expect(annotated["_deleted"] == nil)
            // What was read can be saved as it is.
            #expect(try document.put(annotated).id.generation == 2)
        }
    }

    @Test(arguments: Storage.all) func missingDeletedAndPurgedAreToldApart(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let document = bed.database["x"]
            func expectMissing() throws {
                expectError(.notFound) { try document.read() }
                #expect(try document.revision() == nil)
                #expect(try document.properties == nil)
                #expect(try document["n"] == nil)
                #expect(try bed.database.existingDocument("x") == nil)
            }
            try expectMissing()
            expectError(.notFound) { try document.delete() }
            #expect(try !document.purge())

            let first = try document.put(["n": 1])
            #expect(try bed.database.existingDocument("x")?.id == "x")
            let tombstone = try document.delete()
            #expect(tombstone.isDeleted)
            #expect(tombstone.id.generation == 2)
            expectError(.deleted) { try document.read() }
            #expect(try document.revision()?.id == tombstone.id)
            #expect(try document.revision()?.annotatedProperties["_deleted"] == true)
            #expect(try document.properties == nil)
            #expect(try bed.database.existingDocument("x") == nil)
            #expect(try bed.database.documentCount == 0)

            #expect(try document.purge())
            try expectMissing()
            #expect(try !document.purge())
            // As if it had never been.
            #expect(try document.put(["n": 1]).id == first.id)
        }
    }

    @Test(arguments: Storage.all) func sequencesGrowByCommitAndAreNeverReused(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let database = bed.database
            try database["a"].put([:])
            try database["b"].put([:])
            try database["b"].delete()
            #expect(try database.lastSequence == 3)
            #expect(try database["b"].purge())
            #expect(try database.lastSequence == 4)
            try bed.reopen()
            #expect(try bed.database.lastSequence == 4)
            #expect(try bed.database["c"].put([:]).sequence == 5)
            #expect(try bed.database.documentCount == 2)
        }
    }

    @Test(arguments: Storage.all) func refusalsTakeNoSequenceAndChangeNothing(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let database = bed.database
            let saved = try database["x"].put(["n": 1])
            expectError(.conflict) { try database["x"].put(["n": 2]) }
            expectError(.badRequest) { try database["x"].put(["_id": "y"]) }
            expectError(.badJSON) { try database["x"].put(json: "[1]") }
            expectError(.notFound) { try database["y"].delete() }
            expectError(.badID) { try database["_y"].put([:]) }
            #expect(try database.lastSequence == 1)
            #expect(try database.documentCount == 1)
            #expect(try database["x"].read().id == saved.id)
            #expect(try database["y"].put([:]).sequence == 2)
        }
    }

    @Test(arguments: Storage.all) func theBodyMayBeAText(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let text = #" { "b" : 1.0, "a" : "\u00e9", "b" : 2e0 } "#
            let saved = try bed.database["x"].put(json: text)
            #expect(saved.text == #"{"a":"é","b":2}"#)
            #expect(try bed.database["y"].put(["b": 2, "a": "é"]).id == saved.id)
            let next = try bed.database["x"].put(json: #"{"_rev":"\#(saved.id.string)","_id":"x","c":3}"#)
            #expect(next.text == #"{"c":3}"#)
            #expect(next.id.generation == 2)
        }
    }

    @Test(arguments: Storage.all) func oldRevisionsAreReadUntilCompaction(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let database = bed.database
            let id = DocumentID("x")
            let first = try database["x"].put(["n": 1])
            let second = try database["x"].put(["n": 2], parent: first.id)
            let third = try database["x"].delete()
            #expect(try database.revision(first.id, of: id)?.text == #"{"n":1}"#)
            #expect(try database.revision(second.id, of: id)?.text == #"{"n":2}"#)
            #expect(try database.revision(third.id, of: id)?.isDeleted == true)
            #expect(try database.revision(third.id, of: id)?.text == "{}")
            #expect(try database.revision(first.id, of: id)?.sequence == 1)
            #expect(try database.revision(RevisionID("1-none"), of: id) == nil)
            #expect(try database.revision(first.id, of: DocumentID("y")) == nil)
        }
    }
}
