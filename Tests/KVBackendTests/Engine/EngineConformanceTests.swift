import StorageConformance
import StorageProtocol
import Testing

@testable import SetteeKV

/// The key-value engine keeps every promise of the storage contract.
@Suite
struct EngineConformanceTests {
    static let row = EngineCase(name: "lmdb", factory: LMDBEngineFactory(mapSize: 1 << 32))

    @Test(arguments: Conformance.tests)
    func keepsItsPromises(test: ConformanceTest) throws {
        try test.run(on: Self.row)
    }

    @Test("random operations agree with the model", arguments: UInt64(1)...20)
    func agreesWithTheModel(seed: UInt64) throws {
        _ = try RandomOperations.run(seed: seed, count: 300, on: Self.row)
    }
}
