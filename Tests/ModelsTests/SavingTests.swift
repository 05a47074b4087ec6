import Foundation
import Settee
import StorageProtocol
import Testing

/// Hooks, deletion, saving all, and autosave.
@Suite struct SavingTests {
    @Test(arguments: Storage.all) func willSaveMayChangeWhatIsSaved(_ type: StorageType) throws {
        try withDatabase(type) { db in
            let document = try db.makeDocument(Stamped(text: "a"))
            try document.save()
            #expect(document.model?.saves == 1)
            #expect(document.model?.changed == ["changed", "saves", "text"])
            document.model?.text = "b"
            try document.save()
            #expect(try db[document.id].read()["saves"] == 2)
            #expect(try db[document.id].read()["changed"] == ["text"])
            document.model?.refuses = true
            expectApplicationError(3) { try document.save() }
            #expect(document.needsSave)
            #expect(try db[document.id].read().id.generation == 2)
        }
    }

    @Test(arguments: Storage.all) func deletionKeepsWhatItIsToldTo(_ type: StorageType) throws {
        try withDatabase(type) { db in
            let document = try db.makeDocument(Stamped(text: "a"))
            try document.save()
            document.model?.text = "unsaved"
            try document.delete()
            #expect(document.isDeleted && !document.needsSave && document.model == nil)
            let tombstone = try #require(try db[document.id].revision())
            #expect(tombstone.isDeleted)
            #expect(try tombstone.properties == ["last": "unsaved"])
            expectError(.deleted) { try document.save() }
            expectError(.deleted) { try document.read() }
            try document.delete()
            #expect(try db[document.id].revision()?.id == tombstone.id)

            let again = try db.document(of: Stamped.self, id: document.id)
            #expect(again !== document && again.isDeleted && again.model == nil)
            again.model = Stamped(text: "back")
            try again.save()
            #expect(try db[document.id].read().id.generation == 3)
            #expect(!again.isDeleted)
        }
    }

    @Test(arguments: Storage.all) func deletionOfWhatOthersChanged(_ type: StorageType) throws {
        try withDatabase(type) { db in
            try db["n"].put(["title": "a"])
            let note = try db.document(of: Note.self, id: "n")
            try db["n"].update { $0["title"] = "b" }
            expectError(.conflict) { try note.delete() }
            #expect(!note.isDeleted)
            try db["n"].delete()
            try note.delete()
            #expect(note.isDeleted)
            try db.document(of: Note.self, id: "never").delete()
            #expect(try db["never"].revision() == nil)
        }
    }

    @Test(arguments: Storage.all) func aDocumentDeletedElsewhere(_ type: StorageType) throws {
        try withDatabase(type) { db in
            try db["n"].put(["title": "a", "x": 1])
            let note = try db.document(of: Note.self, id: "n")
            note.model?.title = "edited"
            try db["n"].delete()
            expectError(.conflict) { try note.save() }
            try note.reload()
            #expect(note.isNew && note.model?.title == "edited")
            try note.save()
            #expect(try db["n"].properties == ["title": "edited", "x": 1])
            try db["n"].purge()
            #expect(try db.document(of: Note.self, id: "n") === note)
            #expect(note.model == nil)
        }
    }

    @Test(arguments: Storage.all) func saveAllIsOneTransaction(_ type: StorageType) throws {
        try withDatabase(type) { db in
            var notes: [ModelDocument<Note>] = []
            for number in 0..<20 { notes.append(try db.makeDocument(Note(title: "\(number)"))) }
            #expect(db.models.unsavedModels.map(\.id) == notes.map(\.id))
            try db.models.saveAll()
            #expect(db.models.unsavedModels.isEmpty)
            #expect(try db.documentCount == 20)
            #expect(try notes.map { try db[$0.id].read().sequence } == Array(1...20))
            let sequence = try db.lastSequence
            try db.models.saveAll()
            #expect(try db.lastSequence == sequence)

            notes[0].model?.title = "first"
            notes[1].model?.title = "second"
            try db[notes[1].id].update { $0["title"] = "theirs" }
            expectError(.conflict) { try db.models.saveAll() }
            #expect(notes[0].needsSave && notes[1].needsSave)
            #expect(try db[notes[0].id].read()["title"] == "0")
            notes[1].revert()
            try db.models.saveAll()
            #expect(try db[notes[0].id].read()["title"] == "first")
        }
    }

    @Test(arguments: Storage.all) func autosaveOncePerBurst(_ type: StorageType) async throws {
        try await withDatabase(type) { db in
            // Long enough that a burst stays one even on a busy machine.
            db.models.autosaveDelay = .milliseconds(500)
            let note = try db.makeDocument(Note(title: "0"))
            note.autosaves = true
            try await eventually { try db[note.id].exists }
            for burst in 1...3 {
                for step in 0..<50 { note.model?.title = "\(burst).\(step)" }
                try await eventually { try db[note.id].read()["title"] == .string("\(burst).49") }
                #expect(try db[note.id].read().id.generation == Int64(burst + 1))
            }
            #expect(try db.lastSequence == 4)
        }
    }

    @Test(arguments: Storage.all) func aBurstIsOneTransactionOfAllModels(_ type: StorageType) async throws {
        try await withDatabase(type) { db in
            db.models.autosaveDelay = .milliseconds(30)
            let notes = try (0..<5).map { try db.makeDocument(Note(title: "\($0)")) }
            let manual = try db.makeDocument(Note(title: "manual"))
            for note in notes { note.autosaves = true }
            try await eventually { try db.documentCount == 5 }
            #expect(manual.needsSave)
            #expect(try db.lastSequence == 5)
        }
    }

    @Test(arguments: Storage.all) func aBurstWithoutEndIsSavedAllTheSame(_ type: StorageType) async throws {
        try await withDatabase(type) { db in
            db.models.autosaveDelay = .milliseconds(20)
            let note = try db.makeDocument(Note(title: "0"))
            note.autosaves = true
            var step = 0
            try await eventually {
                step += 1
                note.model?.title = "\(step)"
                return try db[note.id].exists
            }
        }
    }

    @Test(arguments: Storage.all) func flushAndCloseDoNotWait(_ type: StorageType) throws {
        try withDatabase(type) { db in
            db.models.autosaveDelay = .seconds(1000)
            let note = try db.makeDocument(Note(title: "a"))
            note.autosaves = true
            #expect(try db.documentCount == 0)
            try db.models.flush()
            #expect(try db.documentCount == 1)
            note.model?.title = "b"
            let manual = try db.makeDocument(Note(title: "lost"))
            try db.close()
            #expect(!note.needsSave)
            #expect(note.revisionID?.generation == 2)
            #expect(manual.needsSave)
            expectError(.notOpen) { try manual.save() }
        }
    }

    @Test func closingDoesNotLoseAnAutosave() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "settee-models-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let manager = try Manager(directory: folder, options: .init(storageType: .sqlite))
        let first = try manager.database(named: "test")
        first.models.autosaveDelay = .seconds(1000)
        let note = try first.document(of: Note.self, id: "n")
        note.autosaves = true
        note.model = Note(title: "kept")
        try manager.close()
        let second = try manager.database(named: "test")
        #expect(try second["n"].read()["title"] == "kept")
        try manager.close()
    }

    @Test(arguments: Storage.all) func aRefusedAutosaveIsReportedAndHoldsUpNobody(_ type: StorageType) async throws {
        try await withDatabase(type) { db in
            let failures = Locked<[String]>([])
            db.models.onAutosaveFailure { model, error in
                failures.withLock { $0.append("\(model.id) \((error as? StorageError)?.status ?? 0)") }
            }
            try db["bad"].put(["title": "a"])
            let bad = try db.document(of: Note.self, id: "bad")
            try db["bad"].update { $0["title"] = "theirs" }
            bad.autosaves = true
            bad.model?.title = "mine"
            let good = try db.document(of: Note.self, id: "good")
            good.autosaves = true
            good.model = Note(title: "good")
            try await eventually { failures.withLock { !$0.isEmpty } }
            #expect(failures.withLock { $0 } == ["bad 409"])
            #expect(try db["good"].exists)
            #expect(bad.needsSave)
            try bad.reload()
            try bad.save()
            #expect(try db["bad"].read()["title"] == "mine")
        }
    }
}
