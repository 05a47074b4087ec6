import Foundation
import Settee
import SetteeTestSupport
import Testing

/// Handles, rows and revisions as values: equality, and one type of ID.
@Suite struct DocumentHandleTests {
    @Test(arguments: Storage.plain) func documentsAreEqualByDatabaseAndID(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let database = bed.database
            let id = DocumentID("a")
            #expect(database["a"] == database[id] && database["a"].hashValue == database[id].hashValue)
            #expect(database["a"] != database["b"])
            // Composed and decomposed: equal as strings, but two documents.
            #expect(database["\u{E9}"] != database["e\u{301}"])
            #expect(Set([database["a"], database["a"], database["b"]]).count == 2)
            let other = try bed.manager.database(named: "other", options: .init(storageType: type))
            #expect(database["a"] != other["a"])
        }
    }

    @Test(arguments: Storage.all) func revisionsAreEqualByDocumentAndID(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let database = bed.database
            let first = try database["a"].put(["n": 1])
            let read = try #require(try database["a"].revision())
            #expect(first == read && first.hashValue == read.hashValue)
            #expect(try database["b"].put(["n": 1]) != first)
            #expect(try database["a"].put(["n": 2], parent: first.id) != first)
            #expect(Set(try database["a"].history().compactMap { try $0.revision() }).count == 2)
            // Revision IDs of local documents are counters: equal here, though the content differs.
            let before = try database["_local/x"].put(["n": 1])
            try database["_local/x"].delete()
            let after = try database["_local/x"].put(["n": 2])
            #expect(before.id == after.id && before != after)
        }
    }

    @Test(arguments: Storage.all) func everyRowLeadsToItsDocument(_ type: StorageType) async throws {
        try await withDatabase(type) { (bed) async throws in
            let database = bed.database
            try database["a"].put(["n": 1])
            let view = database.view("v")
            try view.setMap(version: "1", reduce: .count) { document, emit in emit(document["n"]) }
            for row in try database.allDocuments().rows() { #expect(database[row.documentID] == database["a"]) }
            for row in try database.changes(since: 0).rows() { #expect(try database[row.documentID].exists) }
            for row in try database.allDocumentsQuery().run() { #expect(try database[row.documentID]?.exists == true) }
            var query = view.query()
            query.mapOnly = true
            let row = try #require(try query.first())
            #expect(database[row.documentID] == database["a"] && row.documentID == row.sourceDocumentID)
            #expect(row.document == database["a"])
            let reduced = try #require(try view.query().first())
            #expect(reduced.documentID == nil && database[reduced.documentID] == nil)
            let id = try #require(row.documentID)
            #expect(try await database.async.revision(of: id)?["n"] == 1)
            #expect(try database.read { try $0.revision(of: id)?["n"] } == 1)
            #expect(try database.existingDocument(id) != nil)
            #expect(try database[id].revision()?.documentID == id)
        }
    }

    @Test(arguments: Storage.all) func variablesAreKeysAndValues(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let database = bed.database
            let author = "Crowley"
            let year = 1982
            let isNew = false
            try database["a"].put(["author": author, "year": year, "new": isNew, "tags": [author, year]])
            try database["b"].put(["author": "Dick", "year": 1968])
            let view = database.view("v")
            try view.setMap(version: "1") { document, emit in
                let id = document.id
                emit(document["author"], id)
                emit([document["author"], document["year"]], ["id": id, "year": document["year"]])
            }
            #expect(try view.query(startKey: author, endKey: author).run().map(\.value) == ["a"])
            #expect(try view.query(keys: [author, [author, year]]).run().count == 2)
            #expect(try view.query(keys: [author]).first()?.value == "a")
            let authors = [author, "Dick"]
            #expect(try view.query(keys: authors).run().count == 2)
            #expect(try view.query(startKey: [author], endKey: [author, [:]]).first()?.value?["year"] == 1982)
            try database["a"].update { $0["author"] = authors[1] }
            #expect(try database["a"].properties?["author"] == "Dick")
        }
    }

    @Test(arguments: Storage.all) func whatCannotBeSetRefusesTheSave(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let document = bed.database["a"]
            try document.put(["n": 5, "list": [1]])
            try document.update { $0["list"][0] = "x" }
            try document.update { $0["new"]["deep"]["n"] = 1 }
            for change: @Sendable (inout JSONObject) -> Void in [
                { $0["n"]["x"] = 1 }, { $0["list"][7] = 1 }, { $0["list"]["x"] = 1 },
            ] {
                let error = #expect(throws: StorageError.self) { try document.update(change) }
                #expect(error?.code == .badJSON && error?.message.contains("was set") == true)
            }
            #expect(try document.properties == ["n": 5, "list": ["x"], "new": ["deep": ["n": 1]]])
        }
    }

    @Test(arguments: Storage.plain) func aDatabaseDeletesItself(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let database = try bed.manager.database(named: "gone", options: .init(storageType: type))
            try database["a"].put([:])
            try database.inTransaction {
                let error = #expect(throws: StorageError.self) { try database.delete() }
                #expect(error?.code == .callback)
            }
            try database.delete()
            #expect(!database.isOpen)
            #expect(throws: StorageError.self) { try database["a"].revision() }
            #expect(throws: StorageError.self) { try database.delete() }
            #expect(try !bed.manager.allDatabaseNames.contains("gone"))
            let again = try bed.manager.database(named: "gone", options: .init(storageType: type))
            #expect(try again.documentCount == 0)
            try again.delete()
        }
    }

    @Test(arguments: Storage.plainPersistent) func aReadOnlyDatabaseDoesNotDeleteItself(_ type: StorageType) throws {
        let folder = try TemporaryFolder()
        let url = folder.url.appending(path: "x.settee")
        try Database.open(at: url, options: .init(storageType: type)).close()
        let database = try Database.open(at: url, options: .init(readOnly: true))
        let error = #expect(throws: StorageError.self) { try database.delete() }
        #expect(error?.code == .readOnly)
        #expect(FileManager.default.fileExists(atPath: url.path))
        try database.close()
    }

    @Test(arguments: Storage.plain) func openingAndAttachmentsHaveAsynchronousForms(_ type: StorageType) async throws {
        let folder = try TemporaryFolder()
        let manager = try Manager(directory: folder.url, options: .init(storageType: type))
        let database = try await manager.async.database(named: "a")
        #expect(try await manager.async.database(named: "a") === database)
        #expect(try await manager.async.existingDatabase(named: "b") == nil)
        #expect(try await manager.async.allDatabaseNames == ["a"])
        let file = folder.url.appending(path: "file")
        try Data([4, 5]).write(to: file)
        try await database.async.setAttachment("x", named: "bytes", contentType: "a/b", content: [1, 2, 3])
        try await database.async.setAttachment("x", named: "file", file: file)
        #expect(try await database.async.attachment("x", named: "bytes")?.contentType == "a/b")
        #expect(try await database.async.attachmentContent("x", named: "bytes") == [1, 2, 3])
        #expect(try await database.async.attachmentContent("x", named: "file") == [4, 5])
        try await database.async.removeAttachment("x", named: "file")
        #expect(try await database.async.attachmentContent("x", named: "file") == nil)
        #expect(try await database.async.attachmentContent("none", named: "file") == nil)
        try await database.async.delete()
        #expect(try await manager.async.allDatabaseNames == [])
        if type != .memory {
            let url = folder.url.appending(path: "y.settee")
            let opened = try await Database.openAsync(at: url, options: .init(storageType: type))
            try await opened.async.close()
            #expect(!opened.isOpen)
        }
        try await manager.async.close()
    }

    @Test func errorsOfADatabaseHaveTheirText() throws {
        let folder = try TemporaryFolder()
        let manager = try Manager(directory: folder.url)
        do {
            _ = try manager.database(named: "Not Allowed")
            Issue.record("the name was taken")
        } catch {
            let any: any Error = error
            #expect(any.localizedDescription == error.message)
        }
    }
}
