import Foundation
import Settee
import SetteeTestSupport
import Testing

/// The examples of README.md and docs/guide/guide.md compile and run: this file holds them all, line by line.
@Suite struct GuideTests {
    /// The README's sketch is a piece of a manifest. Those of the guide stand alone together only.
    @Test(arguments: [("README.md", false, 15), ("docs/guide/guide.md", true, 40)])
    func everyExampleStandsHere(page: String, withSketches: Bool, fewest: Int) throws {
        try expectExamples(of: page, in: #filePath, withSketches: withSketches, fewest: fewest)
    }

    /// Stands in for the standard one: tests do not print.
    private func print(_ items: Any...) {}

    @Test func theExampleOfTheReadmeRunsAgainAndAgain() async throws {
        let folder = try TemporaryFolder()
        // swift-format-ignore: AlwaysUseLowerCamelCase
        func URL(fileURLWithPath path: String) -> Foundation.URL { folder.url.appending(path: path) }

        func run() async throws {
            let manager = try Manager(directory: URL(fileURLWithPath: "databases"))
            let db = try manager.database(named: "library")  // opens, or creates

            let book = db["978-0061120053"]
            try book.update {  // makes or changes it; tries again after a conflict
                $0["title"] = "Little, Big"
                $0["author"] = "John Crowley"
            }

            try db.inTransaction {  // all or nothing, one commit
                try db["a"].update { $0["shelf"] = 1 }
                try db["b"].update { $0["shelf"] = 2 }
            }
            try db.read { snapshot in  // several reads of one state
                try print(snapshot.documentCount, snapshot.lastSequence)
            }
            for row in try db.allDocumentsQuery(startKey: "a", endKey: "b").run() {
                print(row.key, row.value ?? .null)
            }
            for row in try db.find(field("author") == "John Crowley" && field("shelf").isMissing).run() {
                print(row.documentID, row["title"] ?? .null)
            }
            try await db.async.update("c") { $0["shelf"] = 3 }  // the same without blocking the thread

            let byAuthor = db.view("byAuthor")  // a persistent map/reduce index
            // swift-format-ignore
            try byAuthor.setMap(version: "1", reduce: .count) { document, emit in emit(document["author"], document["title"]) }
            // swift-format-ignore
            try byAuthor.query(startKey: "C", limit: 20, groupLevel: 1).forEach { row in print(row.key, row.value ?? .null) }
            #expect(try db.documentCount == 4)
        }
        for _ in 0..<3 { try await run() }
    }

    @Test func theExamplesRun() async throws {
        let folder = try TemporaryFolder()
        let directory = folder.url.appending(path: "databases")
        let manager = try Manager(directory: directory)
        let db = try manager.database(named: "library")

        let names = try manager.allDatabaseNames
        let missing = try manager.existingDatabase(named: "not-there")  // nil, and nothing is made
        let notes = try manager.database(named: "notes", options: .init(storageType: .memory))
        try notes["today"].put(["weather": "rain"])
        try notes.delete()  // or manager.deleteDatabase(named: "notes")

        let book = db["978-0061120053"]
        let saved = try book.put(["title": "Little, Big", "author": "John Crowley", "published": 1982])
        let draft = db.makeDocument()  // a UUID for an ID, not written yet
        try draft.put(json: #"{"title": "untitled"}"#)

        let revision = try book.read()
        print(revision.id, revision.sequence, revision["title"]?.stringValue ?? "")

        let second = try book.put(["title": "Little, Big", "shelf": 7], parent: saved.id)
        do throws(StorageError) {
            try book.put(["title": "lost"], parent: saved.id)
        } catch {
            guard error.code == .conflict else { throw error }
            // Somebody else was quicker: read again, and repeat the change.
        }

        let title = "Little, Big"
        let pages = 538
        let tags = ["novel", "fantasy"]
        try db["little-big"].put(["title": title, "pages": pages, "tags": .array(tags), "from": ["isbn": book.id]])
        try db["little-big"].update { properties in
            properties["kinds"] = tags
            properties["tags"][0] = "fiction"  // set in place
            properties["tags"][2] = "1981"  // behind the last one: added
            properties["read"]["times"] = 3  // "read" is made
        }

        struct Shelf: Codable {
            var room: String
            var books: Int
        }
        try db["shelf-7"].put(Shelf(room: "attic", books: 40))
        let shelf = try db["shelf-7"].value(as: Shelf.self)  // nil where there is no such document

        try book.update { $0["notes"] = "reread" }
        try book.update { properties in
            guard properties["shelf"] != 9 else { throw UpdateCancelled() }  // nothing is saved
            properties["shelf"] = 9
        }
        try db["shelf-7"].update { try $0.setValue(Shelf(room: "cellar", books: 41)) }

        try book.delete()
        let exists = try book.exists  // false
        let tombstone = try book.revision()  // there, and isDeleted
        try book.put(["title": "Little, Big"])  // continues the tombstone
        try draft.purge()  // as if it had never been

        try db["_local/settings"].put(["theme": "dark"])

        try db.inTransaction {
            try db["a"].put(["shelf": 1])
            try db["b"].put(["shelf": 2])
        }

        let total = try db.read { _ in
            var total: Int64 = 0
            try db.allDocumentsQuery(includeDocs: true).forEach { row in
                total += row.documentRevision?["shelf"]?.intValue ?? 0
            }
            return total
        }

        for row in try db.allDocumentsQuery(startKey: "a", endKey: "b", limit: 20).run() {
            print(row.key, row.documentRevisionID?.string ?? "", row.sequence)
        }
        try db.allDocumentsQuery(.includeDeleted, descending: true).forEach { row in
            if row.isDeleted { try db[row.documentID]?.purge() }
        }

        var since: UInt64 = 0
        try db.changes(since: since).forEach { row in since = row.sequence }

        for try await row in db.allDocumentsQuery().stream() { print(row.key) }

        try await db.async.put("c", ["shelf": 3])
        let more = try await manager.async.database(named: "more")
        try await more.async.setAttachment("c", named: "cover", contentType: "image/png", content: [0x89, 0x50])
        let cover = try await more.async.attachmentContent("c", named: "cover")
        try await db.async.inTransaction { db in
            try db["d"].put(["shelf": 4])
            try db["e"].put(["shelf": 5])
        }

        let key = try StorageKey(passphrase: "correct horse battery staple")
        let diary = try manager.database(named: "diary", options: .init(key: key))
        try diary["today"].put(["mood": "secret"])
        try diary.close()
        do throws(StorageError) {
            _ = try manager.database(named: "diary")
        } catch {
            guard error.code == .unauthorized else { throw error }  // 401: no key, or a wrong one
        }

        let again = try manager.database(named: "diary", options: .init(key: key))
        try again.changeKey(to: StorageKey(passphrase: "a better one"))
        try db.convert(to: .sqlite, key: key)  // encrypted now, and of type .sqlcipher
        try db.convert(to: .sqlite, decrypt: true)

        try db.compact()
        let problems = try db.check()  // empty: all is well

        #expect(names == ["library"])
        #expect(missing == nil)
        #expect(second.id.generation == 2)
        #expect(revision.id == saved.id)
        #expect(!exists)
        #expect(tombstone?.isDeleted == true)
        #expect(total == 3)
        #expect(since == 14)
        #expect(shelf?.books == 40)
        #expect(cover == [0x89, 0x50])
        #expect(problems.isEmpty)
        #expect(try db.documentCount == 8)
        try manager.close()
    }
}
