internal import SetteeKV
internal import SetteeMemory
internal import SetteeSQLCipher
internal import SetteeSQLite
internal import StorageConformance
internal import Testing

/// Every engine of the project keeps every promise of the storage contract. For a new engine, add a row.
@Suite
struct EngineConformance {
    static let rows = allRows.filter { row in
        // Sanitizers do not allow a second library with SQLite's symbols: see
        // docs/internals/sqlcipher-engine.md.
        !Probe.isSanitized || row.key == nil
    }

    private static let allRows =
        [
            EngineCase(name: "memory", factory: MemoryEngineFactory()),
            EngineCase(
                name: "sqlite",
                factory: SQLiteEngineFactory(),
                startPart: { part, directory in try Probe.start("sqlite", part, directory) }
            ),
            EngineCase(
                name: "sqlcipher",
                factory: SQLCipherEngineFactory(),
                key: Probe.key,
                startPart: { part, directory in try Probe.start("sqlcipher", part, directory) }
            ),
            EngineCase(
                name: "lmdb",
                factory: LMDBEngineFactory(),
                startPart: { part, directory in try Probe.start("lmdb", part, directory) }
            ),
        ] + rocksDB

    #if RocksDB
    private static let rocksDB = [
        EngineCase(
            name: "rocksdb",
            factory: RocksDBEngineFactory(memory: 8 << 20),
            startPart: { part, directory in try Probe.start("rocksdb", part, directory) }
        )
    ]
    #else
    private static let rocksDB: [EngineCase] = []
    #endif

    @Test(arguments: rows, Conformance.tests)
    func keepsItsPromises(engine: EngineCase, test: ConformanceTest) throws {
        try test.run(on: engine)
    }
}

/// A store of any engine can be converted to any other, and is equal to it.
@Suite
struct RestoringConformance {
    @Test(arguments: EngineConformance.rows, EngineConformance.rows)
    func restores(source: EngineCase, target: EngineCase) throws {
        try Conformance.restore(from: source, to: target)
    }
}

/// The suite notices an engine that breaks its promises.
@Suite
struct ConformanceOfTheSuite {
    @Test("an engine that loses one kind of call does not pass", arguments: FaultPlan.losableCalls + ["fillIndex"])
    func noticesALostCall(name: String) throws {
        let plan = FaultPlan()
        plan.lose(name)
        let row = EngineCase(
            name: "losing \(name)",
            factory: FaultInjectingEngineFactory(MemoryEngineFactory(), faults: plan)
        )
        let slow: Set = ["Limits", "IndexRanges", "Threads", "Faults"]
        let broken = Conformance.tests.filter { test in
            guard !slow.contains(test.area) else { return false }
            do {
                try test.run(on: row)
                return false
            } catch {
                return true
            }
        }
        #expect(!broken.isEmpty, "no test notices that '\(name)' does nothing")
    }

    @Test("an engine that fails says so in the words of the promise")
    func reportsThePromise() throws {
        let plan = FaultPlan()
        plan.lose("purge")
        let row = EngineCase(
            name: "losing purges",
            factory: FaultInjectingEngineFactory(MemoryEngineFactory(), faults: plan)
        )
        let test = try #require(Conformance.tests.first { $0.area == "HiddenEntries" })
        let report = try #require(throws: ConformanceFailures.self) { try test.run(on: row) }
        let failure = try #require(report.failures.first)
        #expect(failure.promise == "the record is gone")
        #expect(failure.expected == "nil")
        #expect(failure.file.hasSuffix("HiddenEntries.swift"))
    }
}
