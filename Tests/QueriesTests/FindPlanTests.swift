import Settee
import SetteeQueries
import SetteeTestSupport
import StorageProtocol
import Testing

/// How queries come to a plan where indexes were never built, change meanwhile, or are asked for with long lists.
@Suite(.timeLimit(.minutes(5))) struct FindPlanTests {
    private func fill(_ db: Database, _ numbers: Range<Int>) throws {
        try db.inTransaction {
            for number in numbers { try db["d\(number)"].put(["n": JSONValue(number), "mod": JSONValue(number % 7)]) }
        }
    }

    private func rowCount(_ db: Database) throws -> UInt64 { try #require(try db.indexes().first).rowCount }

    @Test(
        "the first range that an index can serve builds it, and later ones keep it up to date",
        arguments: Storage.all
    ) func ranges(_ type: StorageType) throws {
        try withOpenDatabase(type) { db in
            try fill(db, 0..<3000)
            try db.createIndex("n", on: [.ascending("n")])
            let few = try db.find(field("n") < 3)
            #expect(try few.count() == 3)
            #expect(try rowCount(db) == 3000)
            #expect(try few.explain().indexes == ["n"])
            // More changes than a query takes into account by itself.
            try fill(db, 3000..<6000)
            #expect(try few.explain().indexes == ["n"])
            #expect(try few.count() == 3)
            #expect(try rowCount(db) == 6000)
            // A range with most of the documents reads all of them, and leaves the index as it is.
            try fill(db, 6000..<9000)
            #expect(try db.find(field("n") >= 3).explain().isFullScan)
            #expect(try db.find(field("n") >= 3).count() == 8997)
            #expect(try rowCount(db) == 6000)
        }
    }

    @Test("a long list of values is planned at once, with many indexes and beside an $or of many parts")
    func longLists() throws {
        try withOpenDatabase(.memory) { db in
            try fill(db, 0..<500)
            for fields in [["n"], ["mod"], ["n", "mod"]] {
                try db.createIndex(fields.joined(), on: fields.map { .ascending($0) })
            }
            let values = (0..<200_000).map { (number: Int) in JSONValue(number) }
            let parts = values[..<64].map { JSONValue.object(["mod": $0]) }
            let query = try db.find(["n": ["$in": .array(Array(values[..<100_000]))], "$or": .array(parts)])
            let began = ContinuousClock.now
            #expect(try query.count() == 500)
            #expect(ContinuousClock.now - began < .seconds(30))
            // With many indexes it is looked at once.
            for number in 0..<30 {
                let condition: JSONObject = ["n": ["$in": .array(Array(values[number * 10..<number * 10 + 300]))]]
                try db.createIndex("p\(number)", on: [.ascending("n"), .ascending("f\(number)")], where: condition)
                try db.createIndex("w\(number)", on: [.ascending("n"), .ascending("f\(number)")])
            }
            #expect(try db.find(["n": ["$in": .array(Array(values[..<100_000]))]]).count() == 500)
            #expect(try db.find(["n": ["$nin": .array(Array(values[..<100_000]))]]).count() == 0)
            #expect(try db.find(["n": ["$in": .array(values)]]).count() == 500)
            #expect(ContinuousClock.now - began < .seconds(60))
            // Short ones are read part by part.
            for name in ["n", "mod", "nmod"] { try db.updateIndex(named: name) }
            #expect(try db.find(["$or": [["n": 1], ["mod": 100]]]).explain().indexes.count == 2)
        }
    }

    @Test("indexes whose names are composed and decomposed are two, though defined alike", arguments: Storage.all)
    func equivalentNames(_ type: StorageType) throws {
        try withOpenDatabase(type) { db in
            let names = ["\u{E9}", "e\u{301}"]
            for name in names { try db.createIndex(name, on: [.ascending("n")]) }
            let view: JSONValue = ["map": ["fields": ["n": "asc"]], "options": ["def": ["fields": ["n"]]]]
            for name in names { try db["_design/\(name)"].put(["language": "query", "views": ["v": view]]) }
            func bytes() throws -> [[UInt8]] { try db.indexes().map { Array($0.name.utf8) } }
            let all = names.flatMap { [Array($0.utf8), Array("_design/\($0)/v".utf8)] }
            #expect(try Set(bytes()) == Set(all))
            try db.updateIndex(named: names[0])
            try db.updateIndex(named: "_design/\(names[1])/v")
            try db.removeIndex(names[0])
            #expect(try Set(bytes()) == Set(all.dropFirst()))
        }
    }

    @Test("an index that changes between plan and first page is planned for again", arguments: Storage.all)
    func changedBeforeTheFirstPage(_ type: StorageType) throws {
        try withOpenDatabase(type) { db in
            try fill(db, 0..<2000)
            try db.createIndex("i", on: [.ascending("n")])
            try db.updateIndex(named: "i")
            for change in [
                { try db.createIndex("i", on: [.ascending("mod"), .descending("n")]) }, { try db.removeIndex("i") },
            ] as [() throws -> Bool] {
                var cursor = try FindCursor(try db.find(["n": ["$in": [1, 2, 3]]]))
                #expect(try cursor.prepare(mayUpdate: false).isEmpty)
                #expect(try change())
                #expect(try cursor.next().count == 3)
                #expect(try cursor.next().isEmpty)
                try db.createIndex("i", on: [.ascending("n")])
                try db.updateIndex(named: "i")
            }
        }
    }

    @Test("few fields have an index in memory at a time") func indexesInMemoryAreFew() throws {
        try withOpenDatabase(.memory) { db in
            try db.inTransaction {
                for number in 0..<100 {
                    try db["d\(number)"].put(
                        JSONObject((0..<12).map { ("f\($0)", JSONValue(number)) })
                    )
                }
            }
            var inMemory = 0
            for place in 0..<12 {
                let query = try db.find(["f\(place)": 7])
                for _ in 0..<3 { #expect(try query.run().count == 1) }
                var cursor = try FindCursor(query)
                #expect(try cursor.next(atMost: .max).count == 1)
                if !cursor.isFullScan { inMemory += 1 }
            }
            #expect(inMemory == 4)
        }
    }
}
