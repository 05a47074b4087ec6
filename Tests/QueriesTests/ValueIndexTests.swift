import Settee
import SetteeQueries
import SetteeTestSupport
import StorageProtocol
import Testing

/// Which index answers a query, what definitions may be, and what an index costs.
@Suite struct ValueIndexTests {
    private func fill(_ db: Database, _ count: Int = 2000) throws {
        try db.inTransaction {
            for number in 0..<count {
                try db["d\(number)"].put(["n": number, "type": .string(number % 4 == 0 ? "x" : "y"), "m": number % 100])
            }
        }
    }

    /// What the query does, and the IDs that it finds.
    private func explained(_ query: FindQuery) throws -> [String] { try query.explain().indexes }

    private func counter(_ db: Database) throws -> UInt64 {
        try db.withReadTransaction { (transaction) throws(StorageError) in try transaction.counters().changeCounter }
    }

    @Test(arguments: Storage.all) func theIndexThatReadsLeastIsTaken(_ type: StorageType) throws {
        try withOpenDatabase(type) { db in
            try fill(db)
            #expect(try db.find(["n": 7]).explain().isFullScan)
            try db.createIndex("byType", on: [.ascending("type")])
            try db.createIndex("byN", on: [.ascending("n")])
            try db.createIndex("typeAndM", on: [.ascending("type"), .descending("m")])
            try db.createIndex("small", on: [.ascending("m")], where: ["n": ["$lt": 10]])
            for index in try db.indexes() { try db.updateIndex(named: index.name) }
            #expect(try explained(try db.find(["n": 7])) == ["byN"])
            #expect(try explained(try db.find(["n": ["$gt": 5, "$lte": 9]])) == ["byN"])
            #expect(try explained(try db.find(["type": "x", "m": 20])) == ["typeAndM"])
            #expect(try explained(try db.find(["type": "x"], sort: [.descending("m")], limit: 5)) == ["typeAndM"])
            #expect(
                try db.find(["type": "x"], sort: [.descending("m"), .ascending("_id")], limit: 5).explain().isSorted
            )
            #expect(try explained(try db.find(["m": 3, "n": ["$lt": 5]])) == ["small"])
            #expect(
                try explained(try db.find(["$or": [["n": 1], ["type": "x", "m": 4]]])).sorted() == ["byN", "typeAndM"]
            )
            #expect(try explained(try db.find(["n": ["$in": [1, 2, 3]]])) == ["byN"])
            let explanation = try db.find(["n": 70]).explain()
            #expect(explanation.otherIndexes.contains { $0.index == "small" && $0.reason.contains("condition") })
            #expect(explanation.otherIndexes.contains { $0.index == "byType" && $0.reason.contains("'type'") })
            #expect(try db.find(["_id": "d7"]).explain().isFullScan == false)
            var query = try db.find(["absent": 1])
            query.allowsFullScan = false
            let error = #expect(throws: StorageError.self) { try query.run() }
            #expect(error?.code == .badParameter && error?.message.contains("'absent'") == true)
        }
    }

    /// A range is not taken for large because it has more rows than are counted at least.
    @Test(arguments: Storage.all) func rangesOfSomeHundredRows(_ type: StorageType) throws {
        try withOpenDatabase(type) { db in
            try fill(db, 8000)
            try db.createIndex("byN", on: [.ascending("n")])
            try db.updateIndex(named: "byN")
            #expect(try explained(try db.find(["n": ["$gte": 100, "$lt": 500]])) == ["byN"])
            #expect(try db.find(["n": ["$gte": 100, "$lt": 500]]).count() == 400)
            #expect(try db.find(["n": ["$gte": 100]]).explain().isFullScan)
            #expect(try explained(try db.find(["n": ["$gte": 100]], limit: 5)) == ["byN"])
        }
    }

    /// However few documents there are.
    @Test(arguments: Storage.all) func anIndexIsReadWhereAWalkIsNotAllowed(_ type: StorageType) throws {
        try withOpenDatabase(type) { db in
            try db["a"].put(["n": 1])
            try db.createIndex("byN", on: [.ascending("n")])
            var query = try db.find(["n": 1])
            query.allowsFullScan = false
            #expect(try query.count() == 1)
            #expect(try query.explain().indexes == ["byN"])
        }
    }

    /// Queries do not commit, however much has changed since the index was updated, up to the limit.
    @Test(arguments: Storage.all) func queriesDoNotCommit(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let db = bed.database
            try fill(db, 100)
            try db.createIndex("byN", on: [.ascending("n")])
            try db.updateIndex(named: "byN")
            try db.inTransaction { for number in 0..<500 { try db["e\(number)"].put(["n": 5]) } }
            let before = try counter(db)
            #expect(try db.find(["n": 5]).count() == 501)
            #expect(try explained(try db.find(["n": 5, "_id": "e3"])).isEmpty)
            #expect(try db.find(["n": 6]).run().map(\.documentID.string) == ["d6"])
            #expect(try counter(db) == before)
            #expect(try db.indexes()[0].isStale)
            // More than that: the index is brought up to date first.
            try db.inTransaction { for number in 0..<1500 { try db["f\(number)"].put(["n": 9]) } }
            #expect(try db.find(["n": 6]).run().map(\.documentID.string) == ["d6"])
            #expect(try !db.indexes()[0].isStale)
        }
    }

    @Test(arguments: Storage.all) func definitions(_ type: StorageType) throws {
        try withOpenDatabase(type) { db in
            #expect(try db.createIndex("a", on: [.ascending("n"), .descending("a\\.b")], where: ["t": 1]))
            #expect(try !db.createIndex("a", on: [.ascending("n"), .descending("a\\.b")], where: ["t": 1]))
            let status = try #require(try db.indexes().first)
            #expect(status.name == "a" && status.definition.condition == ["t": 1])
            #expect(try ValueIndexDefinition(json: status.definition.json) == status.definition)
            #expect(try db.removeIndex("a") && !db.removeIndex("a"))
            #expect(try db.indexes().isEmpty)
            expectError(.badParameter) { try db.createIndex("a", on: []) }
            expectError(.badParameter) { try db.createIndex("a", on: [.ascending("n"), .descending("n")]) }
            expectError(.badParameter) { try db.createIndex("a", on: (0..<33).map { .ascending("f\($0)") }) }
            expectError(.badRequest) { try db.createIndex("a", on: [.ascending("")]) }
            expectError(.badRequest) { try db.createIndex("a", on: [.ascending("n")], where: ["$foo": 1]) }
            expectError(.badID) { try db.createIndex("", on: [.ascending("n")]) }
            expectError(.badID) { try db.createIndex("_a", on: [.ascending("n")]) }
            expectError(.badID) { try db.createIndex(String(repeating: "a", count: 256), on: [.ascending("n")]) }
            expectError(.notFound) { try db.updateIndex(named: "b") }
            expectError(.badParameter) { _ = try ValueIndexDefinition(json: ["fields": [["a": "up"]]]) }
            expectError(.badParameter) { _ = try ValueIndexDefinition(json: ["fields": ["a"], "where": 1]) }
        }
    }

    /// As CouchDB stores them. What is no such index is left alone.
    @Test(arguments: Storage.all) func indexesOfDesignDocuments(_ type: StorageType) throws {
        try withOpenDatabase(type) { db in
            try fill(db, 300)
            let view: JSONObject = [
                "map": ["fields": ["type": "asc", "n": "asc"], "partial_filter_selector": [:]], "reduce": "_count",
                "options": ["def": ["fields": ["type", "n"]]],
            ]
            try db["_design/q"].put([
                "language": "query", "views": ["i": .object(view), "bad": 1, "text": ["index": [:]]],
            ])
            try db["_design/js"].put(["views": ["i": ["map": "function(doc) {}"]]])
            #expect(try db.indexes().map(\.name) == ["_design/q/i"])
            let query = try db.find(["type": "x", "n": ["$gte": 290]])
            #expect(try query.explain().indexes == ["_design/q/i"])
            #expect(try query.count() == 2)
            // Another definition takes effect at once.
            try db["_design/q"].update { $0["views"] = ["i": ["map": ["fields": ["n": "asc"]]]] }
            #expect(try db.find(["n": 7]).explain().indexes == ["_design/q/i"])
            #expect(try db.find(["n": 7]).count() == 1)
            try db.updateIndex(named: "_design/q/i")
            #expect(try db.find(["n": 7]).count() == 1)
            try db["_design/q"].delete()
            #expect(try db.indexes().isEmpty && db.find(["n": 7]).explain().isFullScan)
            try db.removeUnusedValueIndexes()
        }
    }

    /// A document whose value is too large for a key is found all the same, and in its place.
    @Test(arguments: Storage.all) func valuesThatAreTooLargeForAKey(_ type: StorageType) throws {
        try withOpenDatabase(type) { db in
            let large = String(repeating: "\u{6F22}", count: 400_000)
            try db["large"].put(["s": large, "n": 1])
            try db["a"].put(["s": "a", "n": 1])
            try db["b"].put(["s": "b", "n": 2])
            for hasIndex in [false, true] {
                if hasIndex {
                    try db.createIndex("s", on: [.ascending("s"), .ascending("n")])
                    try db.updateIndex(named: "s")
                    var query = try db.find(["s": ["$gt": "a"]])
                    query.hints.prefersIndexes = true
                    #expect(try query.explain().indexes == ["s"])
                    #expect(Set(try query.run().map(\.documentID.string)) == ["large", "b"])
                }
                #expect(Set(try db.find(["s": ["$gt": "a"]]).run().map(\.documentID.string)) == ["large", "b"])
                #expect(
                    try db.find([:], sort: [.ascending("s")]).run().map(\.documentID.string) == ["a", "b", "large"]
                )
                #expect(try db.find(["s": ["$eq": "a"]]).count() == 1)
            }
        }
    }

    /// The third walk for one field makes an index in memory, which is stored nowhere and sees each later commit.
    @Test(arguments: Storage.all) func questionsThatAreAskedAgain(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let db = bed.database
            try fill(db)
            let before = try counter(db)
            for number in 0..<20 { #expect(try db.find(["n": JSONValue(number)]).count() == 1) }
            #expect(try db.find(["n": 3]).run().map(\.documentID.string) == ["d3"])
            #expect(try counter(db) == before && db.indexes().isEmpty)
            try db["new"].put(["n": 3])
            #expect(try db.find(["n": 3]).count() == 2)
        }
    }

    @Test(arguments: Storage.plainPersistent) func definitionsAreKept(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            try fill(bed.database, 100)
            try bed.database.createIndex("byN", on: [.descending("n")])
            try bed.database.updateIndex(named: "byN")
            try bed.reopen()
            #expect(try !bed.database.indexes()[0].isStale)
            #expect(try bed.database.find(["n": 7]).explain().indexes == ["byN"])
            for other in Storage.plainPersistent where other != type {
                try bed.convert(to: other)
                #expect(try bed.database.find(["n": 7]).explain().indexes == ["byN"])
                #expect(try bed.database.find(["n": 7]).count() == 1)
            }
        }
    }
}
