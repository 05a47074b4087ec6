import Settee
import SetteeTestSupport
import Testing

@testable import SetteeEngine

/// Saved and unsaved revisions, and what the tree says about them.
@Suite struct RevisionTests {
    @Test(arguments: Storage.all) func anUnsavedRevisionIsEditedAndSaved(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let document = bed.database["doc"]
            var first = try document.newRevision()
            #expect(first.parentID == nil)
            first["a"] = 1
            first.properties["b"] = "x"
            #expect(try document.revision() == nil)
            let saved = try first.save()
            #expect(saved.text == #"{"a":1,"b":"x"}"#)
            #expect(saved.id.string == expectedRevisionID(saved.text, parent: nil))
            // A second save of the same draft: the document now exists.
            expectError(.conflict) { try first.save() }

            var second = try saved.newRevision()
            #expect(second.parentID == saved.id)
            #expect(try second.parent()?.id == saved.id)
            second["a"] = 2
            second["b"] = nil
            #expect(try second.save().text == #"{"a":2}"#)
            // Its parent is no longer current.
            second["a"] = 3
            expectError(.conflict) { try second.save() }
            #expect(try document["a"] == 2)
        }
    }

    @Test(arguments: Storage.all) func savingMayAllowAConflict(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let document = bed.database["doc"]
            let first = try document.put(["n": 1])
            let second = try document.put(["n": 2], parent: first.id)
            var branch = try first.newRevision()
            branch["n"] = 3
            expectError(.conflict) { try branch.save() }
            let saved = try branch.save(allowingConflict: true)
            #expect(try document.isConflicted)
            #expect(try document.leafRevisions().map(\.id) == [second.id, saved.id].sorted { $1 < $0 })
            // The same again is the same revision.
            let sequence = try bed.database.lastSequence
            let again = try branch.save(allowingConflict: true)
            #expect(again.id == saved.id)
            #expect(again.text == saved.text)
            #expect(try bed.database.lastSequence == sequence)
            // Without a parent it begins a line of its own.
            var root = UnsavedRevision(of: document, parentID: nil, properties: ["n": 4])
            #expect(try root.save(allowingConflict: true).id.generation == 1)
            root["n"] = 5
            expectError(.conflict) { try root.save() }
            #expect(try document.conflictingRevisions().count == 3)
            // An unknown parent is a conflict all the same.
            let stray = UnsavedRevision(of: document, parentID: try RevisionID("5-x"), properties: [:])
            expectError(.conflict) { try stray.save(allowingConflict: true) }
            expectError(.notFound) {
                try UnsavedRevision(of: bed.database["other"], parentID: first.id, properties: [:])
                    .save(allowingConflict: true)
            }
        }
    }

    @Test(arguments: Storage.all) func aTombstoneKeepsProperties(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let document = bed.database["doc"]
            try document.put(["owner": "x", "text": "long"])
            var deletion = try document.newRevision()
            deletion.isDeleted = true
            deletion["text"] = nil
            let tombstone = try deletion.save()
            #expect(tombstone.isDeleted)
            #expect(tombstone.text == #"{"owner":"x"}"#)
            let parent = try tombstone.parentID()?.string
            #expect(tombstone.id.string == expectedRevisionID(tombstone.text, parent: parent, isDeleted: true))
            #expect(try document.currentRevision == nil)
            #expect(try document.revision()?.text == #"{"owner":"x"}"#)
            #expect(try document.newRevision().properties.isEmpty)
            // A tombstone can be restored.
            let restored = try tombstone.newRevision().save()
            #expect(!restored.isDeleted)
            #expect(try document["owner"] == "x")
            // By an update, and by `_deleted` in the body.
            let second = try document.updateRevision { $0.isDeleted = true }
            #expect(second?.isDeleted == true)
            #expect(second?.text == #"{"owner":"x"}"#)
            try document.put(["n": 1])
            let third = try document.update { $0["_deleted"] = true }
            #expect(third?.isDeleted == true)
            #expect(third?.text == #"{"n":1}"#)
        }
    }

    @Test(arguments: Storage.all) func updateRevisionDecides(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let document = bed.database["doc"]
            try document.put(["n": 1])
            let cancelled = try document.updateRevision { _ in throw UpdateCancelled() }
            #expect(cancelled == nil)
            expectApplicationError(7) { try document.updateRevision { _ in throw ApplicationError(number: 7) } }
            expectError(.callback) { try document.updateRevision { _ in try document.put([:]) } }
            #expect(try bed.database.lastSequence == 1)
        }
    }

    @Test(arguments: Storage.all) func historyTellsWhatIsKept(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let document = bed.database["doc"]
            #expect(try document.history().isEmpty)
            let foreign = try ["3-c", "2-b", "1-a"].map { try RevisionID($0) }
            try document.forceInsert(["n": 3], history: foreign)
            let fourth = try document.delete()
            let fifth = try document.put(["n": 5])
            let history = try document.history()
            #expect(history.map(\.id) == [fifth.id, fourth.id] + foreign)
            #expect(history.map(\.status) == [.available, .deleted, .available, .missing, .missing])
            #expect(history.map(\.sequence) == [3, 2, 1, 0, 0])
            #expect(history.map(\.isLeaf) == [true, false, false, false, false])
            #expect(try history.map { try $0.revision()?.text } == [#"{"n":5}"#, "{}", #"{"n":3}"#, nil, nil])
            #expect(try fourth.history().map(\.id) == [fourth.id] + foreign)
            #expect(try fifth.parent()?.isDeleted == true)
            #expect(try document.revision(foreign[0])?.parentID() == foreign[1])
            #expect(try document.revision(foreign[0])?.parent() == nil)
            #expect(try document.revision(foreign[1]) == nil)

            try bed.database.compact()
            #expect(try document.history().map(\.status) == [.available, .deleted, .missing, .missing, .missing])
            #expect(try document.history().map(\.hasBody) == [true, false, false, false, false])
            #expect(try fifth.parent() == nil)
            #expect(try fifth.parentID() == fourth.id)
            // A purged revision is no longer known.
            try document.purge()
            #expect(try fifth.history().isEmpty)
            #expect(try fifth.parentID() == nil)
            expectError(.notFound) { try fifth.delete() }
        }
    }

    @Test(arguments: Storage.all) func aLeafIsDeletedByItself(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let document = bed.database["doc"]
            let first = try document.put(["n": 1])
            let second = try document.put(["n": 2], parent: first.id)
            try document.forceInsert(["n": "b"], history: [RevisionID("2-00"), first.id])
            let loser = try #require(try document.revision(RevisionID("2-00")))
            expectError(.conflict) { try first.delete() }
            let tombstone = try loser.delete()
            #expect(try tombstone.parentID() == loser.id)
            #expect(try document.read().id == second.id)
            #expect(try tombstone.delete().id == tombstone.id)
            #expect(try loser.delete().id == tombstone.id)
            #expect(try bed.database.lastSequence == 4)
            // A tombstone that was continued is different.
            let restored = try tombstone.newRevision().save()
            expectError(.conflict) { try loser.delete() }
            expectError(.conflict) { try tombstone.delete() }
            #expect(try restored.delete().isDeleted)
            #expect(try document.read().id == second.id)
        }
    }

    @Test(arguments: Storage.all) func localDocumentsHaveOneRevision(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let local = bed.database["_local/x"]
            var draft = try local.newRevision()
            draft["n"] = 1
            #expect(try draft.save().id.string == "1-local")
            expectError(.conflict) { try draft.save() }
            let second = try local.read().newRevision().save(allowingConflict: true)
            #expect(second.id.string == "2-local")
            #expect(try local.leafRevisions().map(\.id) == [second.id])
            #expect(try local.conflictingRevisions().count == 1)
            #expect(try local.history().map(\.id) == [second.id])
            #expect(try !local.isConflicted)
            #expect(try local.read().parentID() == nil)
            #expect(try local.revision(second.id)?.text == #"{"n":1}"#)
            #expect(try local.properties(including: .all)?.keys == ["_id", "_rev", "n"])
            expectError(.badID) { try local.resolveConflict(keeping: second.id) }
            expectError(.badID) { try local.deleteAllBranches() }
            expectError(.badID) { try local.possibleAncestors(of: second.id) }
            expectError(.badID) { try local.purge(revisions: [second.id]) }
        }
    }

    @Test(arguments: Storage.all) func aSnapshotTellsTheSame(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let document = bed.database["doc"]
            let first = try document.put(["n": 1])
            try document.forceInsert(["n": 2], history: [RevisionID("2-x"), first.id])
            try bed.database.read { snapshot in
                #expect(try snapshot.lastSequence == 2)
                // Another thread writes meanwhile.
                try Background { try document.put(["n": 3], parent: RevisionID("2-x")) }.join()
                #expect(try snapshot.leafRevisions(of: "doc").map(\.id.string) == ["2-x"])
                #expect(try document.leafRevisions().map(\.id.string) == ["2-x"])
                #expect(try snapshot.history(of: "doc").map(\.id) == [RevisionID("2-x"), first.id])
                #expect(try snapshot.revision(first.id, of: "doc")?.text == #"{"n":1}"#)
                #expect(try snapshot.conflictingRevisions(of: "doc").count == 1)
                #expect(try snapshot.properties(of: "doc", including: .localSequence)?["_local_seq"] == 2)
                expectError(.callback) { try document.resolveConflict(keeping: first.id) }
            }
            #expect(try document["n"] == 3)
        }
    }

    @Test(arguments: Storage.all) func asynchronousFormsDoTheSame(_ type: StorageType) async throws {
        try await withDatabase(type) { (bed) async throws in
            let database = bed.database
            let first = try await database.async.put("doc", ["n": 1])
            var branch = try first.newRevision()
            branch["n"] = 2
            try await database.async.save(branch)
            branch["n"] = 3
            try await database.async.save(branch, allowingConflict: true)
            #expect(try await database.async.conflictingRevisions(of: "doc").count == 2)
            let merged = try await database.async.resolveConflict("doc") { _ in ["n": 4] }
            #expect(merged?.id.generation == 3)
            let foreign = try RevisionID("9-x")
            #expect(try await database.async.forceInsert("doc", [:], history: [foreign]))
            #expect(try await database.async.revision(foreign, of: "doc")?.id == foreign)
            try await database.async.resolveConflict("doc", keeping: foreign)
            let id = DocumentID("doc")
            #expect(try await database.async.missingRevisions([id: [foreign]]).isEmpty)
            #expect(try await database.async.purge(revisions: [id: [foreign]]) == [id: [foreign]])
        }
    }
}
