import Foundation
import Settee
import SetteeTestSupport
import StorageProtocol
import Testing

@testable import SetteeQueries

/// A query that runs again takes the plan of the run before, as long as it is good.
@Suite struct KeptPlanTests {
    private func fill(_ db: Database, _ numbers: Range<Int>) throws {
        try db.inTransaction {
            for number in numbers { try db["d\(number)"].put(["n": number, "mod": number % 10, "type": "x"]) }
        }
    }

    /// The rows of a query, and the indexes that they were found with.
    private func run(_ query: FindQuery) throws -> (ids: [String], indexes: [String]) {
        var cursor = try FindCursor(query)
        let rows = try cursor.next()
        return (rows.map(\.documentID.string).sorted(), cursor.indexes)
    }

    @Test(arguments: Storage.every) func definitionsChange(_ type: StorageType) throws {
        try withOpenDatabase(type) { db in
            try fill(db, 0..<1000)
            try db.createIndex("mod", on: [.ascending("mod")])
            try db.updateIndex(named: "mod")
            let query = try db.find(["n": 17, "mod": 7])
            for _ in 0..<3 {
                let found = try run(query)
                #expect(found.ids == ["d17"] && found.indexes == ["mod"])
            }
            // A better one is taken at once.
            try db.createIndex("n", on: [.ascending("n")])
            try db.updateIndex(named: "n")
            for _ in 0..<3 {
                let found = try run(query)
                #expect(found.ids == ["d17"] && found.indexes == ["n"])
            }
            // The same name with other fields.
            try db.createIndex("n", on: [.ascending("type"), .ascending("n")])
            let changed = try run(query)
            #expect(changed.ids == ["d17"])
            try db.removeIndex("n")
            try db.removeIndex("mod")
            for _ in 0..<3 {
                let found = try run(query)
                #expect(found.ids == ["d17"] && found.indexes == [])
            }
        }
    }

    /// What was learnt of an index in one state does not hold for the next.
    @Test(arguments: Storage.every) func documentsChange(_ type: StorageType) throws {
        try withOpenDatabase(type) { db in
            try fill(db, 0..<1000)
            try db.createIndex("n", on: [.ascending("n")])
            try db.updateIndex(named: "n")
            let query = try db.find(["n": ["$gte": 995]])
            let last = ["d995", "d996", "d997", "d998", "d999"]
            for _ in 0..<2 { #expect(try run(query).ids == last) }
            // Less than an index is updated for, and more.
            for (number, count) in [(1000, 1), (1001, 50), (1051, 2000)] {
                try fill(db, number..<number + count)
                #expect(try query.count() == 5 + number + count - 1000)
                #expect(try query.first() != nil)
            }
            try db["d996"].delete()
            try db["d997"].purge()
            try db["d998"].update { $0["n"] = 1 }
            #expect(try query.count() == 2053)
            let ordered = try db.find(["n": ["$gte": 0]], sort: [.descending("n")])
            for _ in 0..<2 { #expect(try ordered.first()?.documentID.string == "d3050") }
            // A document without a key is read by every query, and has its place in the order.
            try db["large"].put(["n": .string(String(repeating: "é", count: 100_000))])
            #expect(try query.count() == 2054)
            for _ in 0..<2 {
                #expect(try ordered.first()?.documentID.string == "large")
                #expect(try ordered.run().prefix(2).map(\.documentID.string) == ["large", "d3050"])
            }
        }
    }

    /// A value that one document had is that of most of them now.
    @Test(arguments: Storage.all) func manyChangesLetAnotherPlanBeChosen(_ type: StorageType) throws {
        try withOpenDatabase(type) { db in
            try fill(db, 0..<2000)
            try db.createIndex("n", on: [.ascending("n")])
            try db.createIndex("mod", on: [.ascending("mod")])
            for name in ["mod", "n"] { try db.updateIndex(named: name) }
            let query = try db.find(["n": 17, "mod": 7])
            #expect(try run(query).indexes == ["n"])
            try db.inTransaction {
                for number in 0..<2000 { try db["d\(number)"].update { $0["n"] = 17 } }
                try db["d1"].update { $0["mod"] = 7 }
            }
            // The index that was best is brought up to date for what it found before. The next plan knows better.
            #expect(try run(query).ids.count == 201)
            let found = try run(query)
            #expect(found.indexes == ["mod"] && found.ids.count == 201)
        }
    }

    @Test(arguments: Storage.every) func transactionsAndSnapshots(_ type: StorageType) throws {
        try withOpenDatabase(type) { db in
            try fill(db, 0..<1000)
            try db.createIndex("n", on: [.ascending("n")])
            let query = try db.find(["n": 17])
            for _ in 0..<2 { #expect(try query.count() == 1) }
            struct Undo: Error {}
            #expect(throws: Undo.self) {
                try db.inTransaction {
                    try db["new"].put(["n": 17])
                    #expect(try query.count() == 2 && query.run().count == 2)
                    try db["d17"].delete()
                    #expect(try run(query).ids == ["new"])
                    throw Undo()
                }
            }
            #expect(try run(query).ids == ["d17"])
            try db.read { _ in
                #expect(try query.count() == 1)
                let writer = Thread { _ = try? db["new"].put(["n": 17]) }
                writer.start()
                try expectEventually { writer.isFinished }
                // The snapshot is older, whatever other threads learn in between.
                #expect(try run(query).ids == ["d17"])
            }
            #expect(try run(query).ids == ["d17", "new"])
        }
    }

    /// Another connection removes the index and makes another one with its name.
    @Test(arguments: Storage.all) func anotherConnectionChangesIndexes(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            guard bed.isPersistent else { return }
            let db = bed.database
            try fill(db, 0..<1000)
            try db.createIndex("a", on: [.ascending("n")])
            let query = try db.find(["n": 17])
            for _ in 0..<2 { #expect(try run(query).indexes == ["a"]) }
            let manager = try Manager(directory: bed.folder.url)
            let other = try manager.database(named: db.name)
            try other.createIndex("a", on: [.ascending("mod")])
            try other.updateIndex(named: "a")
            #expect(try run(query).ids == ["d17"])
            #expect(try run(query).indexes == [])
            try other["new"].put(["n": 17])
            try other.createIndex("a", on: [.ascending("n")])
            for _ in 0..<2 {
                let found = try run(query)
                #expect(found.ids == ["d17", "new"] && found.indexes == ["a"])
            }
            try manager.close()
        }
    }

    @Test(arguments: Storage.all) func optionsChange(_ type: StorageType) throws {
        try withOpenDatabase(type) { db in
            try fill(db, 0..<1000)
            try db.createIndex("n", on: [.ascending("n")])
            var query = try db.find(["n": ["$gte": 17, "$lt": 20]])
            #expect(try run(query).ids == ["d17", "d18", "d19"])
            query.limit = 2
            #expect(try query.run().count == 2)
            query.skip = 2
            #expect(try query.run().count == 1)
            query.limit = nil
            query.skip = 0
            query.sort = [.descending("n")]
            #expect(try query.run().map(\.documentID.string) == ["d19", "d18", "d17"])
            query.useIndex = "none"
            #expect(try run(query).indexes == [])
            query.allowsFullScan = false
            expectError(.badParameter) { try query.run() }
            query.useIndex = nil
            #expect(try query.count() == 3 && query.first()?.documentID.string == "d19")
        }
    }
}
