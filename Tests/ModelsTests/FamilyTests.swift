import Foundation
import Settee
import Testing

/// Classes of models, told apart by `type`, and references between documents.
@Suite struct FamilyTests {
    @Test(arguments: Storage.all) func storedPropertiesStandInTheDocument(_ type: StorageType) throws {
        try withDatabase(type) { db in
            let entry = try db.models.makeModel(Entry.self)
            #expect(entry.isNew && !entry.needsSave && entry.title == "untitled")
            entry.title = "a"
            entry.due = Date(timeIntervalSince1970: 0)
            entry.count += 2
            try entry.save()
            #expect(try db[entry.id].text == #"{"count":2,"due":"1970-01-01T00:00:00.000Z","title":"a"}"#)
            entry.due = nil
            entry["extra"] = [1]
            #expect(Array(entry.changedNames) == ["due", "extra"])
            try entry.save()
            #expect(try db[entry.id].text == #"{"count":2,"extra":[1],"title":"a"}"#)
            entry.count = 2
            #expect(!entry.needsSave)
            entry.ratio = .nan
            expectThrows(EncodingError.self) { try entry.save() }
            entry.ratio = 0.5
            try entry.save()
        }
    }

    @Test(arguments: Storage.all) func anotherFormGivesTheInitialValue(_ type: StorageType) throws {
        try withDatabase(type) { db in
            try db["e"].put(["title": 5, "due": "soon", "count": "many"])
            let entry = try db.models.model(Entry.self, id: "e")
            #expect(entry.title == "untitled" && entry.due == nil && entry.count == 0)
            expectThrows(DecodingError.self) { try entry.value(Int.self, of: "count") }
            entry.title = "x"
            try entry.save()
            #expect(try db["e"].properties == ["title": "x", "due": "soon", "count": "many"])
        }
    }

    @Test(arguments: Storage.all) func theTypeChoosesTheClass(_ type: StorageType) throws {
        try withDatabase(type) { db in
            db.models.register(Entry.self, forType: "entry")
            db.models.register(VoiceEntry.self, forType: "voice")
            db.models.register(Note.self, forType: "note")
            try db["e"].put(["type": "entry"])
            try db["v"].put(["type": "voice", "title": "v"])
            try db["n"].put(["type": "note", "title": "n"])
            try db["u"].put(["type": "unknown", "x": 1])
            let entry = try #require(try db.models.model(id: "e"))
            #expect(Swift.type(of: entry) == Entry.self)
            let voice = try db.models.model(Entry.self, id: "v")
            #expect(voice is VoiceEntry && voice.title == "v")
            #expect(try db.models.model(id: "v") === voice)
            let note = try #require(try db.models.model(id: "n") as? ModelDocument<Note>)
            #expect(note.model?.title == "n")
            #expect(try db.document(of: Note.self, id: "n") === note)
            let unknown = try #require(try db.models.model(id: "u"))
            #expect(Swift.type(of: unknown) == Model.self && unknown["x"] == 1)
            #expect(try db.models.model(id: "missing") == nil)
            // The requested class wins over a type that does not match it.
            #expect(Swift.type(of: try db.models.model(VoiceEntry.self, id: "e")) == VoiceEntry.self)
        }
    }

    @Test(arguments: Storage.all) func newModelsGetTheirType(_ type: StorageType) throws {
        try withDatabase(type) { db in
            db.models.register(VoiceEntry.self, forType: "voice")
            db.models.register(Note.self, forType: "note")
            let voice = try db.models.makeModel(VoiceEntry.self)
            voice.sound = Data([1, 2])
            try voice.save()
            #expect(
                try db[voice.id].properties == [
                    "type": "voice", "sound": "AQI=", "saved": 1, "changed": ["sound", "type"],
                ]
            )
            let note = try db.makeDocument(Note(title: "n"))
            try note.save()
            #expect(try db[note.id].properties == ["type": "note", "title": "n"])
            note.model?.title = "m"
            try note.save()
            #expect(try db[note.id].properties == ["type": "note", "title": "m"])
            voice.title = "t"
            try voice.delete()
            #expect(try db[voice.id].revision()?.properties == ["gone": "t"])
        }
    }

    @Test(arguments: Storage.all) func savingAgainFromWillSaveDoesNothing(_ type: StorageType) throws {
        final class Eager: Model, @unchecked Sendable {
            @Stored("n") var number = 0
            override func willSave(changedNames: PropertyNames) throws {
                number += 1
                #expect(try save() == nil)
            }
        }
        try withDatabase(type) { db in
            let eager = try db.models.makeModel(Eager.self)
            try eager.save()
            #expect(try db[eager.id].properties == ["n": 1])
            #expect(try db.lastSequence == 1)
        }
    }

    @Test(arguments: Storage.all) func referencesAreIDs(_ type: StorageType) throws {
        try withDatabase(type) { db in
            db.models.register(VoiceEntry.self, forType: "voice")
            let parent = try db.models.model(VoiceEntry.self, id: "p")
            parent.title = "parent"
            let child = try db.models.model(Entry.self, id: "c")
            child.parent = try Reference(parent)
            child.children = [try Reference("p"), try Reference("missing")]
            try db.models.saveAll()
            #expect(try db["c"].text == #"{"children":["p","missing"],"parent":"p"}"#)
            #expect(try child.parent?.resolve(in: db) === parent)
            let children = try child.children.resolve(in: db)
            #expect(children.count == 2 && children[0] is VoiceEntry && children[1] == nil)
            try db["p"].delete()
            #expect(try child.parent?.resolve(in: db) == nil)
        }
    }

    private struct Book: Codable, Sendable {
        var title: String
        var authors: [Reference<Person>]
        var sequel: Reference<Book>?
    }
    private struct Person: Codable, Sendable { var name: String }

    @Test(arguments: Storage.all) func referencesOfValues(_ type: StorageType) throws {
        try withDatabase(type) { db in
            let person = try db.makeDocument(Person(name: "P"))
            let book = try db.makeDocument(Book(title: "B", authors: [Reference(person), Reference("gone")]))
            try db.models.saveAll()
            #expect(try db[book.id].read()["authors"] == [person.id, "gone"])
            let authors = try #require(book.model).authors.resolve(in: db)
            #expect(authors[0]?.model?.name == "P" && authors[1] == nil)
            book.model?.sequel = try Reference(book)
            try book.save()
            #expect(try book.model?.sequel?.resolve(in: db) === book)
            try db["wrong"].put(["title": "x", "authors": ["_no"]])
            expectThrows(DecodingError.self) { try db.document(of: Book.self, id: "wrong") }
            #expect(try Reference<Book>("\u{E9}") != Reference<Book>("e\u{301}"))
            expectError(.badID) { try Reference<Book>("") }
        }
    }

    @Test(arguments: Storage.all) func localDocumentsWorkToo(_ type: StorageType) throws {
        try withDatabase(type) { db in
            let settings = try db.document(of: [String: String].self, id: "_local/settings")
            settings.model = ["theme": "dark"]
            try settings.save()
            settings.model?["theme"] = "light"
            try settings.save()
            #expect(try db["_local/settings"].properties == ["theme": "light"])
            try settings.delete()
            #expect(try !db["_local/settings"].exists)
        }
    }

    @Test(arguments: Storage.all) func theDatabaseGoesWithItsModels(_ type: StorageType) throws {
        weak var gone: Database?
        do {
            try withDatabase(type) { db in
                gone = db
                let note = try db.makeDocument(Note(title: "a"))
                try note.save()
                note.model?.title = "unsaved"
            }
        }
        #expect(gone == nil)
    }
}
