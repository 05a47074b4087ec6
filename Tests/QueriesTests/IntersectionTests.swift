import Settee
import SetteeDocumentValues
import SetteeQueries
import SetteeTestSupport
import StorageProtocol
import Testing

/// Conditions on two fields that have an index each: when both are read, and that the rows are right in every state.
@Suite struct IntersectionTests {
    /// 8,000 documents: 400 with each `a`, 400 with each `b`, 20 with both.
    private func fill(_ db: Database) throws {
        try db.inTransaction {
            for number in 0..<8000 {
                try db["d\(number)"].put([
                    "n": number, "a": number % 20, "b": number / 20 % 20, "type": number % 10 == 0 ? "x" : "y",
                    "half": number % 2,
                ])
            }
        }
    }

    private func index(_ db: Database, _ fields: String..., where condition: JSONObject? = nil) throws {
        let name = fields.joined(separator: "-")
        try db.createIndex(name, on: fields.map { .ascending($0) }, where: condition)
        try db.updateIndex(named: name)
    }

    private func kind(_ query: FindQuery) throws -> JSONValue? { try query.explain().json["access"]?["kind"] }

    private func ids(_ query: FindQuery) throws -> [String] { try query.run().map(\.documentID.string) }

    private static let both: JSONObject = ["a": 3, "b": 7]

    /// The IDs of the documents with both.
    private var wanted: [String] { (0..<20).map { "d\($0 * 400 + 143)" }.sorted() }

    @Test(arguments: Storage.all) func takenWhereItPays(_ type: StorageType) throws {
        try withOpenDatabase(type) { db in
            try fill(db)
            try index(db, "a")
            try index(db, "b")
            try index(db, "type")
            let query = try db.find(IntersectionTests.both)
            let explanation = try query.explain()
            #expect(explanation.indexes.sorted() == ["a", "b"] && !explanation.isFullScan)
            #expect(explanation.otherIndexes.map(\.index) == ["type"])
            #expect(explanation.description.contains("documents that are in all of these:\n  index: 'a' on a\n"))
            #expect(explanation.description.contains("  ranges: 1, bounded by b\n"))
            #expect(explanation.json["access"]?["parts"]?[1]?["boundedBy"] == ["b"])
            #expect(try ids(query).sorted() == wanted)
            #expect(try query.count() == 20)
            var cursor = try FindCursor(query)
            while try !cursor.next().isEmpty {}
            // Both ranges, and hardly a document besides those that match.
            #expect(cursor.statistics.keysExamined == 800)
            #expect(cursor.statistics.documentsExamined < 30)
            // Ranges, and an order that has to be made.
            var sorted = try db.find(["a": ["$lt": 2], "b": ["$gte": 18]], sort: [.descending("n")], limit: 3)
            #expect(try kind(sorted) == "intersection" && sorted.explain().isSorted)
            #expect(try ids(sorted) == ["d7981", "d7980", "d7961"])
            sorted.limit = nil
            #expect(try sorted.count() == 80)
            // Each part of an `$or` has its own.
            let parts = try db.find(["$or": [["a": 3, "b": 7], ["n": -1, "_id": "z"]]])
            #expect(try kind(parts) == "union" && parts.explain().indexes.sorted() == ["a", "b"])
            #expect(try ids(parts).sorted() == wanted)
        }
    }

    @Test(arguments: Storage.all) func notTakenWhereOneIndexIsAboutAsCheap(_ type: StorageType) throws {
        try withOpenDatabase(type) { db in
            try fill(db)
            for field in ["a", "b", "n", "type", "half"] { try index(db, field) }
            // One of them has few rows.
            #expect(try db.find(["n": 143, "a": 3]).explain().indexes == ["n"])
            // The other one leaves most of them.
            #expect(try db.find(["a": 3, "type": "y"]).explain().indexes == ["a"])
            #expect(try db.find(["a": 3, "half": 1]).explain().indexes == ["a"])
            // A limit ends the search early.
            #expect(try kind(db.find(IntersectionTests.both, limit: 1)) == "index")
            // Only one may be used.
            var named = try db.find(IntersectionTests.both)
            named.useIndex = "b"
            #expect(try named.explain().indexes == ["b"])
            // Indexes on the same field have the same documents.
            try index(db, "a", "n")
            #expect(try db.find(["a": 3]).explain().indexes.count == 1)
            #expect(try db.find(["a": 3, "n": ["$gt": 7000]]).explain().indexes == ["a-n"])
            // An index on both fields is better.
            try index(db, "b", "a")
            let explanation = try db.find(IntersectionTests.both).explain()
            #expect(explanation.indexes == ["b-a"])
            #expect(explanation.otherIndexes.contains { $0.index == "a" && $0.reason.contains("reads less") })
        }
    }

    /// Documents that have changed since the indexes were updated, in transactions, snapshots and after a rollback.
    @Test(arguments: Storage.all) func whateverTheIndexesLack(_ type: StorageType) throws {
        struct Rollback: Error {}
        try withOpenDatabase(type) { db in
            try fill(db)
            try index(db, "a", where: ["n": ["$exists": true]])
            try index(db, "b")
            let query = try db.find(["a": 3, "b": 7, "n": ["$gte": 0]], sort: [.ascending("_id")])
            #expect(try kind(query) == "intersection" && ids(query) == wanted)
            try db.inTransaction {
                try db["d143"].delete()
                try db["d543"].purge()
                try db["d943"].update { $0["a"] = 4 }
                try db["d0"].update { $0["a"] = 3 }
                try db["d0"].update { $0["b"] = 7 }
                // No index has a key for it.
                let long = JSONValue.string(String(repeating: "\u{6F22}", count: 400_000))
                try db["e"].put(["a": 3, "b": 7, "n": .array([long])])
            }
            let changed = (wanted.filter { !["d143", "d543", "d943"].contains($0) } + ["d0", "e"]).sorted()
            for _ in 0..<2 {
                #expect(try kind(query) == "intersection" && ids(query) == changed)
                let read = try db.read { _ in try ids(query) }
                #expect(read == changed)
                #expect(throws: Rollback.self) {
                    try db.inTransaction {
                        try db["f"].put(["a": 3, "b": 7, "n": 1])
                        try #expect(kind(query) == "intersection" && ids(query) == changed + ["f"])
                        throw Rollback()
                    }
                }
                for index in try db.indexes() { try db.updateIndex(named: index.name) }
            }
        }
    }

    /// Indexes that have to be brought up to date first are, all at once.
    @Test(arguments: Storage.all) func indexesThatLackMuch(_ type: StorageType) throws {
        try withOpenDatabase(type) { db in
            try fill(db)
            try db.createIndex("a", on: [.ascending("a")])
            try db.createIndex("b", on: [.ascending("b")])
            let query = try db.find(IntersectionTests.both)
            #expect(try kind(query) == "intersection")
            #expect(try query.explain().description.contains("first: the index 'b' is brought up to date"))
            #expect(try ids(query).sorted() == wanted)
            #expect(try db.indexes().allSatisfy { !$0.isStale })
            #expect(try kind(query) == "intersection")
            // A comparison that may hold for most documents is no reason for that.
            try db.removeIndex("b")
            try db.createIndex("b", on: [.ascending("b")])
            #expect(try db.find(["a": 3, "b": ["$gt": 0]]).explain().indexes == ["a"])
        }
    }

    /// In pages and behind bookmarks, both ways, though only some IDs are kept at a time.
    @Test(arguments: Storage.all) func pages(_ type: StorageType) throws {
        try withOpenDatabase(type) { db in
            try fill(db)
            try index(db, "a")
            try index(db, "b")
            for sort in [[], [FindOrder.descending("_id")], [.ascending("n")]] {
                for kept in [1, 7, 1 << 16] {
                    var query = try db.find(IntersectionTests.both, sort: sort)
                    query.hints.mostIDs = kept
                    #expect(try kind(query) == "intersection")
                    let all = try ids(query)
                    #expect(all.sorted() == wanted)
                    var paged: [String] = []
                    var position: FindPosition?
                    while true {
                        var cursor = try FindCursor(query, behind: position)
                        let page = try cursor.next(nil, atMost: 6)
                        if page.isEmpty { break }
                        position = cursor.position
                        query.hints.route = cursor.route
                        paged += page.map(\.documentID.string)
                    }
                    #expect(paged == all)
                }
            }
        }
    }
}
