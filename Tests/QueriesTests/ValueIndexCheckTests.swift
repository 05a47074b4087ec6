import Settee
import SetteeTestSupport
import StorageProtocol
import Testing

@testable import SetteeEngine

/// `check` compares value indexes with documents.
@Suite struct ValueIndexCheckTests {
    private func index(of bed: TestDatabase) throws -> String {
        let names = try bed.engine().read { (transaction) throws(StorageError) in try transaction.indexNames() }
        return try #require(names.first { $0.hasPrefix("f/") })
    }

    /// Replaces the rows of a document below the database.
    private func replace(_ rows: [(key: [UInt8], json: String)], of id: String, _ bed: TestDatabase) throws {
        let index = try index(of: bed)
        var batch = IndexBatch()
        let bytes = Array(id.utf8)
        unsafe batch.begin(bytes.span.bytes, sequence: 1)
        for row in rows {
            let json = Array(row.json.utf8)
            unsafe batch.add(key: row.key.span.bytes, keyJSON: json.span.bytes, valueJSON: nil)
        }
        try bed.database.change { (session) throws(StorageError) in
            session.noteChange()
            var changes = RowChanges(recordsPositions: false)
            try session.transaction.replaceIndexRows(index, by: [batch], areNew: false, changes: &changes)
        }
    }

    @Test(arguments: Storage.every) func damageIsFound(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            try bed.database["a"].put(["secret": 1])
            try bed.database.createIndex("byName", on: [.ascending("secret")])
            try bed.database.updateIndex(named: "byName")
            #expect(try bed.database.check().map(\.description) == [])
            let damages: [[(key: [UInt8], json: String)]] = [
                [], [(key: [0x53, 0x00], json: "[2]")], [(key: [0x52, 0x00], json: "[2]")],
                [(key: [0x52, 0x00], json: "[1]"), (key: [0x53, 0x00], json: "[2]")],
            ]
            for damage in damages {
                try replace(damage, of: "a", bed)
                let problems = try bed.database.check().map(\.description)
                #expect(problems.contains { $0.contains("'byName'") && $0.contains("index") }, "\(problems)")
                #expect(!problems.contains { $0.contains("secret") || $0.contains("view") }, "\(problems)")
                try bed.database.removeIndex("byName")
                try bed.database.createIndex("byName", on: [.ascending("secret")])
                try bed.database.updateIndex(named: "byName")
                #expect(try bed.database.check().map(\.description) == [])
            }
        }
    }

    /// What has changed since the index was last updated is not damage.
    @Test(arguments: Storage.every) func whatIsBehindIsNoDamage(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            for number in 0..<10 { try bed.database["\(number)"].put(["n": JSONValue(number)]) }
            try bed.database.createIndex("n", on: [.descending("n"), .ascending("_rev")])
            try bed.database.updateIndex(named: "n")
            let changes: [() throws -> Void] = [
                { try bed.database["0"].delete() }, { try bed.database["1"].purge() },
                { try bed.database["2"].update { $0["n"] = 20 } }, { try bed.database["new"].put(["n": 3]) },
                { _ = try bed.database.compact() }, { try bed.database.createIndex("n", on: [.ascending("n")]) },
                { try bed.reopen() }, { try bed.database.updateIndex(named: "n") },
                { try bed.database.removeIndex("n") },
            ]
            for change in changes {
                try change()
                #expect(try bed.database.check().map(\.description) == [])
            }
        }
    }
}
