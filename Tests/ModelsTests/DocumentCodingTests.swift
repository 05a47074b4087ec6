import Foundation
import Settee
import Testing

@Suite("Documents as values, without models")
struct DocumentCodingTests {
    struct Book: Codable, Equatable {
        var title: String
        var year: Int
        var tags: [String]?
    }

    private let book = Book(title: "Little, Big", year: 1982, tags: ["novel"])

    @Test("Values are written and read by documents, revisions and rows of every kind", arguments: Storage.all)
    func inAndOut(_ type: StorageType) throws {
        try withDatabase(type) { (database) throws in
            let document = database["a"]
            #expect(try document.value(as: Book.self) == nil)
            let saved = try document.put(book)
            #expect(try document.value(as: Book.self) == book)
            #expect(try saved.value(as: Book.self) == book)
            #expect(throws: StorageError.self) { try document.put(book) }
            var later = book
            later.year = 1983
            try document.put(later, parent: saved.id)
            #expect(try database.read { try $0.value(as: Book.self, of: "a") } == later)
            for row in try database.allDocuments(.init(includeBodies: true)).rows() {
                #expect(try row.value(as: Book.self) == later)
            }
            #expect(try database.changes(since: 0).rows().first?.value(as: Book.self) == nil)
            for row in try database.changes(since: 0, includeDocs: true).rows() {
                #expect(try row.value(as: Book.self) == later)
            }
            let view = database.view("v")
            try view.setMap(version: "1") { document, emit in emit([document["title"], document["year"]], document) }
            let row = try #require(try view.query(includeDocs: true).first())
            #expect(try row.value(as: Book.self) == later && row.document(as: Book.self) == later)
            var draft = try document.newRevision()
            try draft.setValue(book)
            #expect(try draft.save().value(as: Book.self) == book)
            try document.delete()
            #expect(try document.value(as: Book.self) == nil)
        }
    }

    @Test("The same, asynchronously", arguments: Storage.all)
    func asynchronously(_ type: StorageType) async throws {
        try await withDatabase(type) { (database) in
            let saved = try await database.async.put("a", book)
            #expect(try await database.async.value(as: Book.self, of: saved.documentID) == book)
            #expect(try await database.async.value(as: Book.self, of: "none") == nil)
        }
    }

    @Test("What is not an object, or has another form, is refused")
    func refused() throws {
        try withDatabase(.memory) { (database) throws in
            let error = #expect(throws: StorageError.self) { try database["a"].put([1, 2]) }
            #expect(error?.code == .badJSON)
            #expect(try !database["a"].exists)
            try database["a"].put(["title": 5])
            #expect(throws: DecodingError.self) { try database["a"].value(as: Book.self) }
        }
    }

    @Test("Dates, decimal numbers, UUIDs and URLs stand in literals as the coder writes them")
    func foundationLiterals() throws {
        struct All: Codable {
            var date: Date, price: Decimal, id: UUID, url: URL
        }
        let url = try #require(URL(string: "https://example.org/a"))
        let all = All(date: Date(timeIntervalSince1970: 1), price: 19.9, id: UUID(), url: url)
        let object: JSONObject = ["date": all.date, "price": all.price, "id": all.id, "url": all.url]
        #expect(try JSONObject(encoding: all) == object)
    }

    @Test("Back references: all that refer to a model, by one reference or several", arguments: Storage.all)
    func backReferences(_ type: StorageType) throws {
        struct Author: Codable { var name: String }
        struct Novel: Codable { var authors: [Reference<Author>] }
        struct Letter: Codable { var to: Reference<Author>? }
        try withDatabase(type) { (database) throws in
            database.models.register(Novel.self, forType: "novel")
            let author = try database.makeDocument(Author(name: "Crowley"))
            let other = try database.makeDocument(Author(name: "Dick"))
            let twice = try database.makeDocument(
                Novel(authors: [Reference(author), Reference(other), Reference(author)])
            )
            let once = try database.makeDocument(Novel(authors: [Reference(other)]))
            let letter = try database.makeDocument(Letter(to: Reference(author)))
            try database.models.saveAll()
            #expect(try author.backReferences(from: Novel.self, by: "authors").map(\.id) == [twice.id])
            #expect(Set(try other.backReferences(from: Novel.self, by: "authors").map(\.id)) == [twice.id, once.id])
            #expect(try author.backReferences(from: Letter.self, by: "to").map(\.id) == [letter.id])
            #expect(try author.backReferences(from: Letter.self, by: "authors").isEmpty)
            letter.model?.to = nil
            try letter.save()
            #expect(try author.backReferences(from: Letter.self, by: "to").isEmpty)
            try twice.delete()
            #expect(try author.backReferences(from: Novel.self, by: "authors").isEmpty)
        }
    }
}
