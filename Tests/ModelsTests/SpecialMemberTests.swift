import Foundation
import Settee
import StorageProtocol
import Testing

/// Types that declare `_id` and the other members that belong to the database. A type with `_id` could be written, but
/// not read again: the member is not stored.
@Suite struct SpecialMemberTests {
    private struct Named: Codable, Sendable, Equatable {
        var _id: String
        var title: String
    }

    private struct Full: Codable, Sendable, Equatable {
        var _id: String?
        var _rev: String?
        var _deleted: Bool?
        var _attachments: [String: Stub]?
        var title: String?
    }

    private struct Stub: Codable, Sendable, Equatable {
        var digest: String
        var length: Int
        var revpos: Int
        var stub: Bool
    }

    private final class Thing: Model, @unchecked Sendable {
        @Stored("_id") var name = ""
        @Stored("_rev") var revision: String?
        @Stored("_deleted") var isGone = true
        @Stored("_attachments") var stubs: [String: Stub] = [:]
        @Stored("title") var title = ""
    }

    /// A class as the value.
    private final class Titled: Codable, @unchecked Sendable {
        let _id: String
        var title: String
        init(_id: String, title: String) {
            self._id = _id
            self.title = title
        }
    }

    @Test(arguments: Storage.all) func aTypeWithItsIDIsReadAgain(_ type: StorageType) throws {
        try withDatabase(type) { db in
            let named = try db.document(of: Named.self, id: "n")
            named.model = Named(_id: "n", title: "a")
            #expect(named.model == Named(_id: "n", title: "a"))
            try named.save()
            #expect(try db["n"].text == #"{"title":"a"}"#)
            #expect(!named.needsSave && named.model?._id == "n")
            named.model?.title = "b"
            try named.save()
            try named.update { $0.title += "c" }
            try named.edit { $0.title += "d" }
            try named.save()
            #expect(try db["n"].text == #"{"title":"bcd"}"#)
        }
        try withDatabase(type) { db in
            try db["n"].put(["title": "a", "other": 1])
            let named = try db.document(of: Named.self, id: "n")
            #expect(named.model == Named(_id: "n", title: "a"))
            named.model?.title = "b"
            try named.save()
            #expect(try db["n"].properties == ["title": "b", "other": 1])
            let object = try db.document(of: Titled.self, id: "n")
            #expect(object.model?._id == "n" && object.model?.title == "b")
        }
    }

    @Test(arguments: Storage.all) func anotherIDIsRefused(_ type: StorageType) throws {
        try withDatabase(type) { db in
            try db["n"].put(["title": "a"])
            let named = try db.document(of: Named.self, id: "n")
            named.model = Named(_id: "m", title: "b")
            #expect(named.needsSave)
            expectError(.badRequest) { try named.save() }
            named.revert()
            expectError(.badRequest) { try named.update { $0._id = "N" } }
            expectError(.badRequest) { try named.edit { $0._id = "" } }
            #expect(named.model == Named(_id: "n", title: "a") && !named.needsSave)
            #expect(try db["n"].read().id.generation == 1)
            // IDs are compared by their bytes.
            try db["e\u{301}"].put(["title": "a"])
            expectError(.badRequest) {
                try db.document(of: Named.self, id: "e\u{301}").edit { $0._id = "\u{E9}" }
            }
        }
    }

    @Test(arguments: Storage.all) func aNewDocumentTakesItsIDFromTheValue(_ type: StorageType) throws {
        try withDatabase(type) { db in
            let named = try db.makeDocument(Named(_id: "given", title: "a"))
            #expect(named.id == "given")
            try named.save()
            #expect(try db["given"].text == #"{"title":"a"}"#)
            expectError(.conflict) { try db.makeDocument(Named(_id: "given", title: "b")) }
            #expect(named.model?.title == "a" && !named.needsSave)
            expectError(.badID) { try db.makeDocument(Named(_id: "", title: "b")) }
            expectError(.badID) { try db.makeDocument(Named(_id: "_x", title: "b")) }
            let full = try db.makeDocument(Full(title: "x"))
            try full.save()
            #expect(full.model?._id == full.id.string)
            #expect(try db[full.id].text == #"{"title":"x"}"#)
        }
    }

    @Test(arguments: Storage.all) func whatEachMemberReceives(_ type: StorageType) throws {
        try withDatabase(type) { db in
            let full = try db.document(of: Full.self, id: "f")
            full.model = Full(title: "a")
            #expect(full.model == Full(_id: "f", _rev: nil, _deleted: false, title: "a"))
            let first = try #require(try full.save())
            #expect(full.model == Full(_id: "f", _rev: first.id.string, _deleted: false, title: "a"))
            try full.setAttachment(named: "x", content: .bytes([1]))
            let digest = try #require(try full.attachment(named: "x")).digest
            let stub = Stub(digest: digest, length: 1, revpos: 2, stub: true)
            #expect(full.model?._attachments == ["x": stub])
            full.model?.title = "b"
            try full.save()
            #expect(full.model?._attachments == ["x": stub])
            #expect(try full.attachment(named: "x")?.content() == [1])

            // A change made in the value is the model's own.
            full.model?._attachments?["y"] = full.model?._attachments?["x"]
            try full.save()
            #expect(try db["f"].read().attachment(named: "y")?.content() == [1])
            full.model?._attachments?["x"] = nil
            #expect(full.attachmentNames == ["y"])
            try full.save()
            #expect(try db["f"].read().attachmentNames == ["y"])
            full["title"] = "c"
            try full.save()
            full.model?._attachments = ["y": Stub(digest: digest, length: 1, revpos: 3, stub: true)]
            #expect(!full.needsSave)
            full["title"] = "b"
            full.model?._attachments = nil
            try full.save()
            #expect(try db["f"].read().attachmentNames == [])
            #expect(full.model?.title == "b")
        }
    }

    private struct Kinds: Codable, Sendable {
        var _attachments: [String: Kind]
        struct Kind: Codable, Sendable {
            var contentType: String?
            var data: Data?
            enum CodingKeys: String, CodingKey {
                case data
                case contentType = "content_type"
            }
        }
    }

    @Test(arguments: Storage.all) func contentsAndKindsOfAttachments(_ type: StorageType) throws {
        try withDatabase(type) { db in
            let kinds = try db.document(of: Kinds.self, id: "k")
            kinds.model = Kinds(_attachments: ["x": .init(contentType: "a/b", data: Data([1, 2]))])
            #expect(try kinds.attachment(named: "x")?.content() == [1, 2])
            #expect(try kinds.attachment(named: "x")?.contentType == "a/b")
            try kinds.save()
            #expect(try db["k"].read().attachment(named: "x")?.content() == [1, 2])
            // The content is kept if the value only changes its type.
            kinds.model?._attachments["x"]?.contentType = "c/d"
            #expect(try kinds.attachment(named: "x")?.content() == [1, 2])
            try kinds.save()
            let saved = try #require(try db["k"].read().attachment(named: "x"))
            #expect(try saved.content() == [1, 2])
            #expect(saved.contentType == "c/d")
            kinds.model?._attachments["bad"] = .init(contentType: nil, data: nil)
            expectError(.badAttachment) { try kinds.attachment(named: "bad") }
            expectError(.badAttachment) { try kinds.save() }
        }
    }

    @Test(arguments: Storage.all) func revisionsOfValues(_ type: StorageType) throws {
        try withDatabase(type) { db in
            let full = try db.document(of: Full.self, id: "f")
            full.model = Full(title: "a")
            try full.save()
            let read = try full.read()
            full.model?.title = "b"
            try full.save()
            // What this model saved itself does not make a value stale.
            full.model = read
            #expect(full.model?.title == "a")
            try full.save()

            var stale = try full.read()
            try db["f"].update { $0["title"] = "theirs" }
            try full.reload()
            stale.title = "mine"
            expectError(.conflict) { try full.edit { $0 = stale } }
            full.model = stale
            expectError(.conflict) { try full.save() }
            full.revert()
            #expect(full.model?.title == "theirs")
            expectError(.badRequest) { try full.edit { $0._deleted = true } }
            #expect(try !db["f"].read().isDeleted)
        }
    }

    @Test(arguments: Storage.all) func propertiesOfClasses(_ type: StorageType) throws {
        try withDatabase(type) { db in
            let thing = try db.models.model(Thing.self, id: "t")
            #expect(thing.name == "t" && thing.revision == nil && !thing.isGone && thing.stubs.isEmpty)
            #expect(try thing.value(String.self, of: "_id") == "t")
            thing.title = "a"
            thing.name = "t"
            try thing.setAttachment(named: "x", content: .bytes([1]))
            #expect(thing.stubs["x"]?.revpos == 1)
            try thing.save()
            #expect(thing.revision == thing.revisionID?.string && thing.stubs.count == 1)
            #expect(try db["t"].read()["title"] == "a")
            thing.name = "other"
            expectError(.badJSON) { try thing.save() }
            thing.name = "t"
            #expect(!thing.needsSave)
            thing["_odd"] = 1
            expectError(.badJSON) { try thing.save() }
            thing["_odd"] = nil
            #expect(!thing.needsSave)
            try thing.delete()
            #expect(thing.isGone && thing.name == "t")
        }
    }

    private struct Odd: Codable, Sendable {
        var _odd: Int?
        var empty: Int?
        var inner: [String: Int]?
        enum CodingKeys: String, CodingKey {
            case _odd, inner
            case empty = ""
        }
    }

    @Test(arguments: Storage.all) func otherNames(_ type: StorageType) throws {
        try withDatabase(type) { db in
            let odd = try db.document(of: Odd.self, id: "o")
            odd.model = Odd(_odd: nil, empty: 1, inner: ["_id": 5, "": 6])
            try odd.save()
            #expect(try db["o"].text == #"{"":1,"inner":{"":6,"_id":5}}"#)
            odd.model?._odd = 1
            expectError(.badJSON) { try odd.save() }
            odd.revert()
            #expect(odd.model?.inner?["_id"] == 5)
        }
    }

    @Test(arguments: Storage.all) func rowsOfQueries(_ type: StorageType) throws {
        try withDatabase(type) { db in
            let saved = try db["n"].put(["title": "a", "_attachments": ["x": ["data": "AQ=="]]])
            var query = db.allDocumentsQuery()
            query.includeDocs = true
            let row = try #require(try query.run().first)
            #expect(try row.document(as: Named.self) == Named(_id: "n", title: "a"))
            let full = try #require(try row.document(as: Full.self))
            #expect(full._rev == saved.id.string && full._deleted == false && full._attachments?.count == 1)
            #expect(try row.document(as: [String: String].self) == ["title": "a"])
        }
    }
}
