import StorageConformance
import StorageProtocol
import Testing

@testable import SetteeKV

/// The key-value engine keeps every promise of the storage contract on a store that is not LMDB, with another longest
/// key and without one.
@Suite
struct SecondStoreTests {
    static func rows() throws -> [EngineCase] {
        [
            EngineCase(name: "sorted, keys of 32 bytes", factory: try SortedEngineFactory<LimitOf32>()),
            EngineCase(name: "sorted, keys of any length", factory: try SortedEngineFactory<NoLimit>()),
        ]
    }

    @Test(arguments: Conformance.tests)
    func keepsItsPromises(test: ConformanceTest) throws {
        for row in try Self.rows() { try test.run(on: row) }
    }

    @Test("random operations agree with the model", arguments: UInt64(1)...5)
    func agreesWithTheModel(seed: UInt64) throws {
        for row in try Self.rows() { _ = try RandomOperations.run(seed: seed, count: 200, on: row) }
    }

    @Test("a store without a limit has no entry for long keys")
    func cutsNothingWithoutALimit() throws {
        let factory = try SortedEngineFactory<NoLimit>()
        let engine = try factory.open(directory: "a", options: StorageOptions(create: true))
        defer { engine.close() }
        let id = String(repeating: "x", count: 60_000)
        try engine.write { (tx) throws(StorageError) in
            try tx.add(id)
            try tx.setInfo([1], for: String(repeating: "y", count: 5_000))
        }
        #expect(try engine.read { (tx) throws(StorageError) in try tx.json(id) } == "{}")
        let tables = try #require(factory.stores.withLock { $0["a"] }).content.withLock { $0 }
        #expect(tables[Table.chunks.rawValue].entries.isEmpty)
        #expect(tables[Table.documents.rawValue].entries.map(\.key.count) == [60_000])
    }

    @Test("walks over all that there is, and checks, leave caches alone; others say which keys they want")
    func saysWhatCursorsAreFor() throws {
        let factory = try SortedEngineFactory<NoLimit>()
        let engine = try SortedEngine(factory, SortedStore(), options: StorageOptions(create: true))
        defer { engine.close() }
        try engine.write { (tx) throws(StorageError) in
            for number in 0..<20 { try tx.add("d\(number)") }
        }
        func uses(
            _ read: (SortedReadTransaction<NoLimit>) throws(StorageError) -> Void
        ) throws -> [SortedUse] {
            let transaction = SortedReadTransaction(engine, try engine.beginBaseRead(), isWriter: false)
            defer { transaction.end() }
            try read(transaction)
            return transaction.base.uses
        }
        let all = try uses { (tx) throws(StorageError) in
            try tx.records(in: .all, descending: false, fields: .all) { (_) throws(StorageError) in true }
        }
        #expect(all == [SortedUse(table: .documents, fillsCaches: false, isBounded: false)])
        let some = try uses { (tx) throws(StorageError) in
            let range = ByteRange(lower: .including(Array("d5".utf8)))
            try tx.records(in: range, descending: false, fields: .all) { (_) throws(StorageError) in true }
        }
        #expect(some == [SortedUse(table: .documents, fillsCaches: true, isBounded: true)])
        let changes = try uses { (tx) throws(StorageError) in
            try tx.records(sequences: 1...UInt64.max, descending: false, fields: .all) { (_) throws(StorageError) in
                true
            }
        }
        #expect(changes.map(\.table) == [.sequences, .documents])
        #expect(changes.allSatisfy { !$0.fillsCaches })
        let news = try uses { (tx) throws(StorageError) in
            try tx.records(sequences: 15...UInt64.max, descending: false, fields: []) { (_) throws(StorageError) in
                true
            }
        }
        #expect(news == [SortedUse(table: .sequences, fillsCaches: true, isBounded: true)])
        let check = try uses { (tx) throws(StorageError) in
            try LayoutCheck(tx).run { (_) throws(StorageError) in }
        }
        #expect(check.count > 20)
        #expect(check.allSatisfy { !$0.fillsCaches })
    }
}
