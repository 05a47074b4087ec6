import Settee
import SetteeIndexes
import SetteeTestSupport
import StorageConformance
import StorageProtocol
import Testing

@testable import SetteeQueries

/// Indexes that are brought up to date together, by one walk over each document, have the rows that each of them has
/// alone.
@Suite struct SharedWalkTests {
    private static let many = (0..<32).map { FindOrder.ascending("deep.a\($0)") }

    private static let definitions: [ValueIndexDefinition] = [
        ValueIndexDefinition([.ascending("n")]),
        ValueIndexDefinition([.descending("deep.er.still"), .ascending("tags.0")], where: ["n": ["$gt": 20]]),
        ValueIndexDefinition([.ascending("tags.1.x"), .ascending("_id"), .ascending("n")]),
        // It cannot be judged for a text that is too long, and the row says so.
        ValueIndexDefinition([.ascending("name")], where: ["text": ["$regex": "lo"], "n": ["$exists": true]]),
        // A name that is not in the order of its bytes.
        ValueIndexDefinition(
            [.ascending("a b"), .descending("\u{E000}.c"), .ascending("_rev")],
            where: ["$or": [["_id": ["$gt": "d3"]], ["tags": ["$elemMatch": ["x": 1]]]]]
        ),
        ValueIndexDefinition(many),
        ValueIndexDefinition(many.reversed(), where: ["deep.a1": ["$exists": false], "deep": ["$type": "object"]]),
        ValueIndexDefinition([.ascending("deep")]),
        ValueIndexDefinition([.ascending("tags"), .ascending("name")], where: ["_id": ["$regex": "7$"]]),
    ]

    private struct Maker {
        var generator: SeededGenerator

        mutating func leaf() -> JSONValue {
            switch generator.below(7) {
            case 0: .null
            case 1: true
            case 2: JSONValue(generator.below(100))
            case 3: .double(Double(generator.below(1000)) / 8)
            case 4: .string(["", "lo", "é \"x\"", "\u{1}", "Lyon"][generator.below(5)])
            case 5: .array([])
            default: ["x": JSONValue(generator.below(3))]
            }
        }

        mutating func body() -> JSONObject {
            var body = JSONObject()
            for name in ["n", "name", "text", "a b", "tags", "deep", "z", "\u{E000}"] where generator.below(4) > 0 {
                body[name] = leaf()
            }
            if generator.below(2) == 0 { body["tags"] = .array((0..<generator.below(4)).map { _ in leaf() }) }
            if generator.below(2) == 0 {
                var deep = JSONObject([("er", .object(JSONObject([("still", leaf())])))])
                for _ in 0..<generator.below(5) { deep["a\(generator.below(32))"] = leaf() }
                body["deep"] = .object(deep)
            }
            if generator.below(100) == 0 { body["text"] = .string(String(repeating: "lo", count: 1 << 17)) }
            return body
        }
    }

    /// All rows of an index that has seen everything.
    private func rows(_ name: String, _ db: Database) throws -> [String] {
        let name = try IndexName(name, of: ValueIndexKind())
        return try db.withReadTransaction { (transaction) throws(StorageError) in
            let snapshot = try IndexSnapshot(name, of: db, in: transaction)
            let none = TailLimit(documents: 0, bytes: 0)
            let found = try ReadableIndex(snapshot, of: db, in: transaction, tailWithin: none, identity: nil)
            var rows: [String] = []
            try found?.rows(in: .all, descending: false, transaction) { (row) throws(StorageError) in
                rows.append([row.withKey(text), row.withID(text), row.withKeyJSON(text)].joined(separator: " "))
                return true
            }
            return rows
        }
    }

    private func text(_ bytes: RawSpan) -> String { unsafe bytes.withUnsafeBytes { unsafe "\(Array($0))" } }

    private func compare(_ db: Database) throws {
        let indexes = SharedWalkTests.definitions.indices
        for number in indexes { try db.updateIndex(named: "alone\(number)") }
        try db.updateIndexes(named: indexes.map { "together\($0)" })
        for number in indexes {
            let alone = try rows("alone\(number)", db)
            #expect(try rows("together\(number)", db) == alone, "\(SharedWalkTests.definitions[number])")
            #expect(alone.count > 3, "\(SharedWalkTests.definitions[number])")
        }
        #expect(try db.check().map(\.description) == [])
    }

    @Test(arguments: Storage.every) func sameRowsAsAlone(_ type: StorageType) throws {
        try withOpenDatabase(type) { db in
            var maker = Maker(generator: SeededGenerator(seed: 1))
            try db.inTransaction {
                for number in 0..<400 { try db["d\(number)"].put(maker.body()) }
                // The last one of equal names counts.
                try db["twice"].put(json: #"{"n":30,"name":"lo","n":31,"deep":{"a1":1,"a1":2},"deep":{"a2":5,"a2":6}}"#)
                try db["_design/d"].put(["n": 1])
                try db["gone"].put(["n": 1])
                try db["gone"].delete()
            }
            for (number, definition) in SharedWalkTests.definitions.enumerated() {
                try db.createIndex("alone\(number)", on: definition.fields, where: definition.condition)
                try db.createIndex("together\(number)", on: definition.fields, where: definition.condition)
            }
            try compare(db)
            // Some indexes have seen more than others.
            for round in 0..<3 {
                try db.inTransaction {
                    for _ in 0..<80 {
                        let document = db["d\(maker.generator.below(420))"]
                        if maker.generator.below(8) == 0 {
                            try document.purge()
                        } else if maker.generator.below(8) == 0 {
                            if try document.revision() != nil { try document.delete() }
                        } else {
                            try document.put(maker.body(), parent: try document.revision()?.id)
                        }
                    }
                }
                if round < 2 { try db.updateIndex(named: "together\(round)") }
            }
            try compare(db)
        }
    }

    @Test func nothingIsUpdatedForAnUnknownName() throws {
        try withOpenDatabase(.memory) { db in
            try db["a"].put(["n": 1])
            try db.createIndex("n", on: [.ascending("n")])
            expectError(.notFound) { try db.updateIndexes(named: ["n", "m"]) }
            #expect(try db.indexes()[0].isStale)
            try db.updateIndexes(named: [])
            #expect(try db.indexes()[0].isStale)
            try db.updateIndexes(named: ["n", "n"])
            #expect(try !db.indexes()[0].isStale && db.indexes()[0].rowCount == 1)
        }
    }
}
