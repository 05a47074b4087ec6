import Foundation
import Settee
import SetteeTestSupport
import StorageProtocol
import Testing

/// There is one type for document IDs: every call accepts the ID that a row, a change, a revision, a model or a handle
/// returns.
@Suite struct DocumentIDTypeTests {
    private struct Note: Codable {
        var text: String
        var about: Reference<Note>?
    }

    @Test(arguments: Storage.all) func everyIDIsTakenByTheDatabase(_ type: StorageType) async throws {
        try await withDatabase(type) { (bed) async throws in
            let db = bed.database
            let seen = Locked<[DocumentID]>([])
            db.setValidation("look") { revision, _ in seen.withLock { $0.append(revision.documentID) } }
            let changes = db.changes()
            let saved = try db["a"].put(["text": "x"])
            try db["a"].forceInsert(["text": "y"], history: [RevisionID("1-y")])
            let view = db.view("v")
            try view.setMap(version: "1") { document, emit in
                seen.withLock { $0.append(document.id) }
                emit(document["text"], document.id)
            }
            let model = try db.document(of: Note.self, id: saved.documentID)
            let context = db.models
            var ids: [DocumentID] = [db["a"].id, saved.documentID, saved.document.id, model.id, model.document.id]
            for row in try db.allDocumentsQuery(.onlyConflicts).run() {
                ids += [try #require(row.documentID), try #require(row.sourceDocumentID)]
                #expect(db[row.documentID] == db["a"])
            }
            for row in try view.query().run() { ids += [try #require(row.documentID)] }
            for row in try db.changes(since: 0).rows() {
                ids += [row.documentID, row.document.id]
                #expect(db[row.documentID] == db["a"])
            }
            for await change in changes {
                guard case .document(let change) = change else { break }
                ids.append(change.documentID)
                #expect(db[change.documentID] == db["a"])
                break
            }
            for leaf in try db["a"].conflictingRevisions() { ids.append(leaf.documentID) }
            for step in try db["a"].history() { ids.append(step.documentID) }
            ids += seen.withLock { $0 }
            ids += [try Reference<Note>("a").documentID, try Reference<Note>(model).documentID]
            ids += try db.missingRevisions(["a": [RevisionID("9-x")]]).keys
            #expect(ids.count > 15 && Set(ids) == ["a"])

            for id in ids {
                #expect(db[id] == db["a"] && id == "a" && id.string == "a")
                #expect(try db[id].exists && db.existingDocument(id) != nil)
            }
            let id = try #require(ids.last)
            #expect(try db.read { try $0.revision(of: id) } != nil)
            #expect(try await db.async.revision(of: id) != nil)
            #expect(try context.model(id: id) === model)
            #expect(try db.document(of: Note.self, id: id) === model)
            #expect(try Reference<Note>(id).resolve(in: db) === model)
            let row = try #require(try view.query().first())
            var rest = view.query(startKey: row.key)
            rest.startKeyDocID = row.sourceDocumentID
            rest.inclusiveStart = false
            #expect(try rest.run().isEmpty)
            #expect(try view.query(startKey: "x").with { $0.startKeyDocID = id }.run().count <= 1)
            #expect(try db.purge(revisions: [id: db[id].leafRevisions().map(\.id)]).keys.first == id)
        }
    }

    /// A literal is not checked where it is written, and never traps.
    @Test(arguments: Storage.all) func literalsAreCheckedByTheCallsThatTakeThem(_ type: StorageType) async throws {
        try await withDatabase(type) { (bed) async throws in
            let db = bed.database
            let bad: [DocumentID] = ["", "_bad", "a\0b", "_local/"]
            for id in bad {
                let text = id.string
                expectError(.badID) { try id.checked() }
                expectError(.badID) { try DocumentID(text) }
                expectError(.badID) { try db[id].put([:]) }
                expectError(.badID) { try db[text].put([:]) }
                expectError(.badID) { try db[id].exists }
                expectError(.badID) { try db.existingDocument(id) }
                expectError(.badID) { try db.read { try $0.revision(of: id) } }
                expectError(.badID) { try db.purge(revisions: [id: []]) }
                expectError(.badID) { try db.missingRevisions([id: []]) }
                expectError(.badID) { try Reference<Note>(id) }
                expectError(.badID) { try db.models.model(id: id) }
                await expectError(.badID) { try await db.async.put(id, [:]) }
                await expectError(.badID) { try await db.async.attachment(id, named: "x") }
                #expect(db[id].id == id && db[text].id == id)
            }
            #expect(try DocumentID("good").checked() == "good")
            #expect(try db.lastSequence == 0)
        }
    }
}
