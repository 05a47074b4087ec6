import Foundation
import Settee
import StorageProtocol
import Testing

/// Autosaves after a refused one. An autosave that met a conflict used to be the last one of its model until the next
/// edit: a reload that resolved the conflict did not resume autosaving.
@Suite struct AutosaveTests {
    /// What a handler was told.
    private final class Failures: Sendable {
        private let told = Locked<[String]>([])
        var all: [String] { told.withLock { $0 } }
        func note(_ model: Model, _ error: any Error) {
            told.withLock { $0.append("\(model.id) \((error as? StorageError)?.status ?? 0)") }
        }
    }

    /// A model with an edit whose autosave was refused.
    private func conflicting(_ db: Database, _ id: String, _ failures: Failures) async throws -> ModelDocument<Note> {
        db.models.autosaveDelay = .milliseconds(10)
        db.models.onAutosaveFailure { model, error in failures.note(model, error) }
        try db[id].put(["title": "a", "x": 1])
        let note = try db.document(of: Note.self, id: id)
        try db[id].update { $0["x"] = 2 }
        note.autosaves = true
        note.model?.title = "mine"
        try await eventually { !failures.all.isEmpty }
        return note
    }

    @Test(arguments: Storage.all) func aReloadBringsTheAutosaveBack(_ type: StorageType) async throws {
        try await withDatabase(type) { db in
            let failures = Failures()
            let note = try await conflicting(db, "n", failures)
            #expect(note.needsSave)
            try note.reload()
            try await eventually { try db["n"].properties == ["title": "mine", "x": 2] }
            note.model?.title = "again"
            try await eventually { try db["n"].read()["title"] == "again" }
            #expect(failures.all == ["n 409"])
        }
    }

    @Test(arguments: Storage.all) func theHandlerMayReload(_ type: StorageType) async throws {
        try await withDatabase(type) { db in
            db.models.autosaveDelay = .milliseconds(10)
            db.models.onAutosaveFailure { model, _ in try? model.reload() }
            try db["n"].put(["title": "a", "x": 1])
            let note = try db.document(of: Note.self, id: "n")
            note.autosaves = true
            for step in 0..<3 {
                note.model?.title = "\(step)"
                try db["n"].update { $0["x"] = .int(Int64(step)) }
                let expected: JSONObject = ["title": .string("\(step)"), "x": .int(Int64(step))]
                try await eventually { try db["n"].properties == expected }
            }
        }
    }

    @Test(arguments: Storage.all) func aConflictIsToldOnceAndHoldsUpNobody(_ type: StorageType) async throws {
        try await withDatabase(type) { db in
            let failures = Failures()
            let note = try await conflicting(db, "n", failures)
            let other = try db.document(of: Note.self, id: "other")
            other.autosaves = true
            for step in 0..<5 {
                note.model?.title = "mine \(step)"
                other.model = Note(title: "\(step)")
                try await eventually { !other.needsSave }
            }
            // Its own burst has been tried once a later one is saved.
            try await eventually { try db["other"].read()["title"] == "4" }
            #expect(failures.all == ["n 409"])
            #expect(note.needsSave && note.model?.title == "mine 4")
            #expect(try db["n"].read()["title"] == "a")

            // A new conflict is reported again.
            try note.reload()
            try await eventually { try db["n"].read()["title"] == "mine 4" }
            try db["n"].update { $0["x"] = 3 }
            note.model?.title = "once more"
            try await eventually { failures.all.count == 2 }
            #expect(failures.all == ["n 409", "n 409"])
            try note.update { $0.title += "!" }
            note.model?.title = "end"
            try await eventually { try db["n"].read()["title"] == "end" }
        }
    }

    @Test(arguments: Storage.all) func otherWaysOutOfAConflict(_ type: StorageType) async throws {
        try await withDatabase(type) { db in
            let failures = Failures()
            let note = try await conflicting(db, "n", failures)
            note.revert()
            try note.reload()
            note.model?.title = "after revert"
            try await eventually { try db["n"].read()["title"] == "after revert" }
            // Purged: the model's revision no longer exists, until a reload picks that up.
            note.model?.title = "edited"
            try db["n"].purge()
            try await eventually { failures.all.count == 2 }
            try note.reload()
            try await eventually { try db["n"].exists }
            #expect(try db["n"].read()["title"] == "edited")
        }
    }

    final class Refusing: Model, @unchecked Sendable {
        @Stored("n") var number = 0
        let tries = Locked(0)
        override func willSave(changedNames: PropertyNames) throws {
            tries.withLock { $0 += 1 }
            if number < 0 { throw ApplicationError(number: number) }
        }
    }

    /// What the model's own hook refuses is not tried again until it is edited.
    @Test(arguments: Storage.all) func aRefusalIsNotTriedAgainAndAgain(_ type: StorageType) async throws {
        try await withDatabase(type) { db in
            db.models.autosaveDelay = .milliseconds(5)
            let failures = Failures()
            db.models.onAutosaveFailure { model, error in failures.note(model, error) }
            let refusing = try db.models.model(Refusing.self, id: "r")
            refusing.autosaves = true
            refusing.number = -1
            try await eventually { failures.all == ["r 0"] }
            let other = try db.document(of: Note.self, id: "other")
            other.autosaves = true
            for step in 0..<10 {
                other.model = Note(title: "\(step)")
                try await eventually { !other.needsSave }
            }
            #expect(refusing.tries.withLock { $0 } == 1)
            // A refusal is only reported again if its reason changes.
            refusing.number = -2
            try await eventually { refusing.tries.withLock { $0 } == 2 }
            refusing.number = 1
            try await eventually { try db["r"].exists }
        }
    }

    /// A burst that was blocked by another process's writer, a full disk or the like is saved when that is over.
    @Test(arguments: [StorageType.sqlite, .lmdb]) func whatPassesByItselfIsTriedAgain(_ type: StorageType) async throws
    {
        let folder = FileManager.default.temporaryDirectory.appending(path: "settee-models-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let manager = try Manager(directory: folder, options: .init(storageType: type))
        let db = try manager.database(named: "test", options: .init(durability: .normal))
        db.models.autosaveDelay = .milliseconds(5)
        let refused = Locked(0)
        db.setValidation("busy") { _, _ in
            try refused.withLock { refused in
                refused += 1
                if refused == 1 { throw StorageError(.inUse, "Another process writes.") }
            }
        }
        let note = try db.document(of: Note.self, id: "n")
        note.autosaves = true
        note.model = Note(title: "a")
        try await eventually { try db["n"].exists }
        #expect(!note.needsSave)
        try manager.close()
    }
}
