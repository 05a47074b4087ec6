import Foundation
import Settee
import Testing

@Suite("Values that are saved over a document keep what their type does not declare")
struct SavedOverTests {
    private struct Place: Codable, Equatable {
        var city: String
        var street: String?
    }

    private struct Person: Codable, Equatable {
        var name: String
        var born: Int?
        var home: Place?
    }

    /// A type that leaves out a nil without telling the encoder.
    private struct Terse: Codable {
        var name: String
        var born: Int?

        init(name: String) { self.name = name }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(name, forKey: .name)
            if let born { try container.encode(born, forKey: .born) }
        }
    }

    private struct Named: Codable, Equatable {
        var _id: String
        var _rev: String?
        var _deleted: Bool?
        var name: String
    }

    private struct Stub: Codable, Equatable {
        var length: Int
    }

    private struct Illustrated: Codable {
        var name: String
        var _attachments: [String: Stub]?
    }

    /// Returns a document with an attachment, and with members that no type above declares.
    private func makeDocument(_ database: Database, id: String = "a") throws -> Document {
        let document = database[id]
        var draft = try document.newRevision()
        draft.properties = ["name": "Ada", "born": 1815, "color": "red", "home": ["city": "London", "floor": 2]]
        try draft.setAttachment(named: "image", contentType: "image/png", content: [1, 2, 3])
        try draft.save()
        return document
    }

    private func expectKept(_ document: Document, _ rest: JSONObject) throws {
        let revision = try document.read()
        #expect(try revision.attachment(named: "image")?.content() == [1, 2, 3])
        var properties = try revision.properties
        properties["_attachments"] = nil
        #expect(properties == rest)
    }

    private let ada = Person(name: "A", home: Place(city: "York"))
    private let kept: JSONObject = ["name": "A", "color": "red", "home": ["city": "York", "floor": 2]]

    @Test("by put with a parent", arguments: Storage.all) func put(_ type: StorageType) throws {
        try withDatabase(type) { db in
            let document = try makeDocument(db)
            let first = try document.read().id
            let saved = try document.put(ada, parent: first)
            try expectKept(document, kept)
            #expect(try document.value(as: Person.self) == ada)
            expectError(.conflict) { try document.put(ada) }
            expectError(.conflict) { try document.put(ada, parent: first) }
            try document.put(Terse(name: "B"), parent: saved.id)
            try expectKept(document, ["name": "B", "color": "red", "home": ["city": "York", "floor": 2]])
            expectError(.notFound) { try db["none"].put(ada, parent: first) }
        }
    }

    @Test("by put of a value with _rev", arguments: Storage.all) func revisionInTheValue(_ type: StorageType) throws {
        try withDatabase(type) { db in
            let document = try makeDocument(db)
            var named = try #require(try document.value(as: Named.self))
            named.name = "B"
            try document.put(named)
            try expectKept(
                document,
                ["name": "B", "born": 1815, "color": "red", "home": ["city": "London", "floor": 2]]
            )
            expectError(.conflict) { try document.put(named) }
            named._rev = "x"
            expectError(.badRequest) { try document.put(named) }
            named._rev = nil
            named._id = "b"
            let current = try document.read().id
            expectError(.badRequest) { try document.put(named, parent: current) }
            // A tombstone has what the value has.
            try document.put(Named(_id: "a", _deleted: true, name: "C"), parent: current)
            let tombstone = try #require(try document.revision())
            #expect(tombstone.isDeleted && String(decoding: tombstone.json, as: UTF8.self) == #"{"name":"C"}"#)
            // What follows a tombstone is a new document.
            try document.put(Person(name: "D"))
            #expect(try document.properties == ["name": "D"])
        }
    }

    @Test("asynchronously", arguments: Storage.all) func asynchronously(_ type: StorageType) async throws {
        try await withDatabase(type) { db in
            let document = try makeDocument(db)
            try await db.async.put("a", ada, parent: document.read().id)
            try expectKept(document, kept)
            let saved = try await db.async.replaceBody(of: "a", with: ada, parent: document.read().id)
            #expect(try saved.properties == JSONObject(encoding: ada))
        }
    }

    @Test("by a model's update and an unsaved revision", arguments: Storage.all)
    func update(_ type: StorageType) throws {
        try withDatabase(type) { db in
            let document = try makeDocument(db)
            try db.document(of: Person.self, id: "a").update { $0 = ada }
            try expectKept(document, kept)
            let other = try makeDocument(db, id: "b")
            var draft = try other.newRevision()
            try draft.setAttachment(named: "more", content: [4])
            try draft.setValue(ada)
            try draft.save()
            try expectKept(other, kept)
            #expect(try other.read().attachment(named: "more")?.content() == [4])
        }
    }

    @Test("by an update of the body", arguments: Storage.all) func updateOfTheBody(_ type: StorageType) throws {
        try withDatabase(type) { db in
            let document = try makeDocument(db)
            try document.update { try $0.setValue(ada) }
            try expectKept(document, kept)
            try db["new"].update { try $0.setValue(ada) }
            #expect(try db["new"].properties == JSONObject(encoding: ada))
            expectError(.badJSON) { try document.update { try $0.setValue([1]) } }
        }
    }

    @Test("replaceBody keeps nothing", arguments: Storage.all) func replaceBody(_ type: StorageType) throws {
        try withDatabase(type) { db in
            let document = try makeDocument(db)
            expectError(.conflict) { try document.replaceBody(with: ada) }
            let saved = try document.replaceBody(with: ada, parent: document.read().id)
            #expect(try saved.properties == JSONObject(encoding: ada))
        }
    }

    @Test("in a local document", arguments: Storage.all) func local(_ type: StorageType) throws {
        try withDatabase(type) { db in
            let document = db["_local/a"]
            try document.put(["name": "Ada", "born": 1815, "color": "red"])
            try document.put(Person(name: "B"), parent: document.read().id)
            #expect(try document.properties == ["name": "B", "color": "red"])
        }
    }

    @Test("A type that declares the attachments says which stay", arguments: Storage.all)
    func declaredAttachments(_ type: StorageType) throws {
        try withDatabase(type) { db in
            let document = try makeDocument(db)
            var value = try #require(try document.value(as: Illustrated.self))
            #expect(value._attachments == ["image": Stub(length: 3)])
            value.name = "B"
            let saved = try document.put(value, parent: document.read().id)
            #expect(try saved.attachment(named: "image")?.content() == [1, 2, 3])
            value._attachments = nil
            #expect(try document.put(value, parent: saved.id).attachments.isEmpty)
            #expect(try document.properties?["color"] == "red")
        }
    }

    @Test("A dictionary declares all members and no attachment", arguments: Storage.all)
    func dictionary(_ type: StorageType) throws {
        try withDatabase(type) { db in
            let document = try makeDocument(db)
            let names: [String: String] = ["name": "B"]
            try document.put(names, parent: document.read().id)
            try expectKept(document, ["name": "B"])
            let all = try #require(try document.value(as: [String: JSONValue].self))
            try document.put(all, parent: document.read().id)
            try expectKept(document, ["name": "B"])
        }
    }

    @Test("A type with _id is read in each form", arguments: Storage.all) func withID(_ type: StorageType) async throws
    {
        try await withDatabase(type) { db in
            let saved = try makeDocument(db).read()
            let named = Named(_id: "a", _rev: saved.id.string, _deleted: false, name: "Ada")
            #expect(try db["a"].value(as: Named.self) == named)
            #expect(try saved.value(as: Named.self) == named)
            #expect(try db.read { try $0.value(as: Named.self, of: "a") } == named)
            #expect(try await db.async.value(as: Named.self, of: "a") == named)
            for row in try db.allDocuments(.init(includeBodies: true)).rows() {
                #expect(try row.value(as: Named.self) == named)
            }
            for row in try db.changes(since: 0, includeDocs: true).rows() {
                #expect(try row.value(as: Named.self) == named)
            }
            let view = db.view("v")
            try view.setMap(version: "1") { document, emit in emit(document["name"], document) }
            let row = try #require(try view.query(includeDocs: true).first())
            #expect(try row.value(as: Named.self)?._id == "a")
            #expect(try row.document(as: Named.self) == named)
        }
    }
}
