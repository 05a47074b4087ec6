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
