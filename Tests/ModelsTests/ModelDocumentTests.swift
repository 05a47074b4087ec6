import Foundation
import Settee
import Testing

/// Documents as values of Codable types.
@Suite struct ModelDocumentTests {
    @Test(arguments: Storage.all) func aDocumentIsWrittenReadAndChanged(_ type: StorageType) throws {
        try withDatabase(type) { db in
            let note = try db.document(of: Note.self, id: "n")
            #expect(note.isNew && !note.needsSave && note.model == nil)
            expectError(.notFound) { try note.read() }
            note.model = Note(title: "Milk", due: Date(timeIntervalSince1970: 0))
            #expect(note.needsSave)
            #expect(Array(note.changedNames) == ["due", "title"])
            let first = try #require(try note.save())
            #expect(first.id.generation == 1)
            #expect(try db["n"].text == #"{"due":"1970-01-01T00:00:00.000Z","title":"Milk"}"#)
            #expect(!note.isNew && !note.needsSave && note.revisionID == first.id)

            #expect(try note.save() == nil)
            note.model?.title = "Bread"
            note.model?.due = nil
            #expect(Array(note.changedNames) == ["due", "title"])
            try note.save()
            #expect(try db["n"].text == #"{"title":"Bread"}"#)
        }
    }

    @Test(arguments: Storage.all) func whatTheTypeDoesNotDeclareSurvives(_ type: StorageType) throws {
        try withDatabase(type) { db in
            try db["n"].put(
                json: #"{"title":"a","color":"red","tags":["x"],"due":null,"#
                    + #""address":{"city":"Bern","street":"S","zip":3000},"\#u{E9}":1,"e\#u{301}":2}"#
            )
            let note = try db.document(of: Note.self, id: "n")
            #expect(note["color"] == "red")
            note.model?.title = "b"
            note.model?.tags = nil
            note.model?.address?.street = nil
            note.model?.address?.city = "Basel"
            try note.save()
            let saved = try #require(try db["n"].properties)
            #expect(
                saved == [
                    "title": "b", "color": "red", "address": ["city": "Basel", "zip": 3000], "\u{E9}": 1, "e\u{301}": 2,
                ]
            )

            note["color"] = nil
            note["title"] = "raw"
            note["more"] = [1, 2]
            #expect(note.model?.title == "raw")
            #expect(try note.value([Int].self, of: "more") == [1, 2])
            note.setValue(Date(timeIntervalSince1970: 0), of: "when")
            note.setValue(String?.none, of: "more")
            try note.save()
            let again = try #require(try db["n"].properties)
            #expect(again["color"] == nil && again["more"] == nil)
            #expect(again["title"] == "raw" && again["when"] == "1970-01-01T00:00:00.000Z")
        }
    }

    /// A custom `encode` that leaves nil out by itself never mentions the key.
    private struct Custom: Codable, Sendable {
        var a: Int?
        enum Keys: CodingKey { case a }
        init(from decoder: any Decoder) throws {
            a = try decoder.container(keyedBy: Keys.self).decodeIfPresent(Int.self, forKey: .a)
        }
        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Keys.self)
            if let a { try container.encode(a, forKey: .a) }
        }
    }

    @Test(arguments: Storage.all) func declaredIsWhatTheTypeAsksForToo(_ type: StorageType) throws {
        try withDatabase(type) { db in
            try db["c"].put(["a": 1, "b": 2])
            let custom = try db.document(of: Custom.self, id: "c")
            custom.model?.a = nil
            try custom.save()
            #expect(try db["c"].properties == ["b": 2])

            try db["d"].put(["a": 1, "b": 2])
            let dictionary = try db.document(of: [String: Int].self, id: "d")
            dictionary.model?["a"] = nil
            dictionary.model?["c"] = 3
            try dictionary.save()
            #expect(try db["d"].properties == ["b": 2, "c": 3])
        }
    }

    @Test(arguments: Storage.all) func anotherFormIsAnError(_ type: StorageType) throws {
        try withDatabase(type) { db in
            try db["n"].put(["title": 5])
            expectThrows(DecodingError.self) { try db.document(of: Note.self, id: "n") }
            expectError(.badID) { try db.document(of: Note.self, id: "_x") }
            #expect(try db["n"].properties == ["title": 5])
        }
    }

    @Test(arguments: Storage.all) func aValueWithoutFormRefusesTheSave(_ type: StorageType) throws {
        try withDatabase(type) { db in
            let document = try db.document(of: [String: Double].self, id: "x")
            document.model = ["a": .nan]
            #expect(document.needsSave)
            #expect(document.model?["a"]?.isNaN == true)
            expectThrows(EncodingError.self) { try document.save() }
            #expect(try db["x"].revision() == nil)
            document.model = ["a": 1]
            try document.save()
            #expect(try db["x"].text == #"{"a":1}"#)

            let list = try db.document(of: [Int].self, id: "list")
            list.model = [1]
            expectThrows(EncodingError.self) { try list.save() }
            list.revert()
            #expect(!list.needsSave)
            document["_id"] = "other"
            expectError(.badJSON) { try document.save() }
        }
    }

    @Test(arguments: Storage.all) func revertForgetsEdits(_ type: StorageType) throws {
        try withDatabase(type) { db in
            try db["n"].put(["title": "a", "x": 1])
            let note = try db.document(of: Note.self, id: "n")
            note.model?.title = "b"
            note["x"] = 2
            note.revert()
            #expect(note.model?.title == "a" && note["x"] == 1 && !note.needsSave)
            #expect(try note.save() == nil)
            #expect(db.models.unsavedModels.isEmpty)
        }
    }

    @Test(arguments: Storage.all) func oneLiveObjectForADocument(_ type: StorageType) throws {
        try withDatabase(type) { db in
            let first = try db.document(of: Note.self, id: "n")
            #expect(try db.document(of: Note.self, id: "n") === first)
            first.model = Note(title: "a")
            #expect(try db.document(of: Note.self, id: "n").model?.title == "a")
            try first.save()
            try db["n"].update { $0["title"] = "theirs" }
            #expect(try db.document(of: Note.self, id: "n") === first)
            #expect(first.model?.title == "theirs")
            #expect(first.timeSinceExternalChange != nil)

            weak var gone: ModelDocument<Note>?
            do {
                let other = try db.document(of: Note.self, id: "m")
                gone = other
            }
            #expect(gone == nil)
            do { try db.document(of: Note.self, id: "m").model = Note(title: "kept") }
            #expect(try db.document(of: Note.self, id: "m").model?.title == "kept")
        }
    }

    @Test(arguments: Storage.all) func anOvertakenSaveIsAConflict(_ type: StorageType) throws {
        try withDatabase(type) { db in
            try db["n"].put(["title": "a", "x": 1, "y": 1])
            let note = try db.document(of: Note.self, id: "n")
            note.model?.title = "mine"
            try db["n"].update { $0["x"] = 2 }
            expectError(.conflict) { try note.save() }
            #expect(note.needsSave)
            try note.reload()
            #expect(note["x"] == 2 && note.model?.title == "mine")
            #expect(Array(note.changedNames) == ["title"])
            try note.save()
            #expect(try db["n"].properties == ["title": "mine", "x": 2, "y": 1])
        }
    }

    @Test(arguments: Storage.all) func updateIsNeverOvertaken(_ type: StorageType) throws {
        try withDatabase(type) { db in
            try db["n"].put(["title": "0"])
            let note = try db.document(of: Note.self, id: "n")
            DispatchQueue.concurrentPerform(iterations: 8) { worker in
                for step in 0..<10 {
                    do {
                        if worker.isMultiple(of: 2) {
                            try note.update { $0.title = "\((Int($0.title) ?? -1000) + 1)" }
                        } else {
                            try db["n"].update { $0["n\(worker)"] = .int(Int64(step)) }
                        }
                    } catch {
                        Issue.record(error)
                    }
                }
            }
            #expect(try db.document(of: Note.self, id: "n").model?.title == "40")
            #expect(try db["n"].read()["n7"] == 9)
        }
    }

    @Test(arguments: Storage.all) func aFailedUpdateLeavesNothing(_ type: StorageType) throws {
        try withDatabase(type) { db in
            try db["n"].put(["title": "a"])
            let note = try db.document(of: Note.self, id: "n")
            expectApplicationError {
                try note.update {
                    $0.title = "b"
                    throw ApplicationError()
                }
            }
            #expect(note.model?.title == "a" && !note.needsSave)
            expectError(.callback) { try note.update { _ in _ = try db["other"].revision() } }
            expectError(.notFound) { try db.document(of: Note.self, id: "m").update { $0.title = "x" } }
            #expect(try db["n"].read().id.generation == 1)
        }
    }

    @Test(arguments: Storage.all) func editsOfManyThreadsAreAllThere(_ type: StorageType) throws {
        try withDatabase(type) { db in
            let counts = try db.document(of: [String: Int].self, id: "c")
            counts.model = ["n": 0]
            DispatchQueue.concurrentPerform(iterations: 8) { _ in
                for _ in 0..<200 {
                    do { try counts.edit { $0["n", default: 0] += 1 } } catch { Issue.record(error) }
                }
            }
            try counts.save()
            #expect(try db["c"].text == #"{"n":1600}"#)
        }
    }

    @Test(arguments: Storage.all) func aRolledBackSaveIsUnsavedAgain(_ type: StorageType) throws {
        try withDatabase(type) { db in
            try db["n"].put(["title": "a"])
            let note = try db.document(of: Note.self, id: "n")
            let other = try db.makeDocument(Note(title: "new"))
            let gone = try db.document(of: Note.self, id: "gone")
            gone.model = Note(title: "gone")
            try gone.save()
            expectApplicationError {
                try db.inTransaction {
                    note.model?.title = "b"
                    try note.save()
                    note.model?.title = "c"
                    try note.save()
                    try other.save()
                    try gone.delete()
                    #expect(!note.needsSave && gone.isDeleted)
                    throw ApplicationError()
                }
            }
            #expect(note.needsSave && other.needsSave && other.isNew && !gone.isDeleted)
            #expect(note.model?.title == "c" && gone.model?.title == "gone")
            #expect(try db["n"].read()["title"] == "a")
            try db.models.saveAll()
            #expect(try db["n"].read()["title"] == "c")
            #expect(try db["n"].read().id.generation == 2)
            #expect(try db[other.id].read()["title"] == "new")
            #expect(try db["gone"].exists)
        }
    }
}
