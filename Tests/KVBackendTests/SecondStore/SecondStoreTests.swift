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
}
