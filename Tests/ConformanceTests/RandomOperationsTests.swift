internal import Foundation
internal import SetteeMemory
internal import StorageConformance
internal import Testing

/// Engines do what plain dictionaries would, in whatever order the calls are made.
@Suite
struct RandomOperationsTests {
    static let isStress = ProcessInfo.processInfo.environment["SETTEE_STRESS"] != nil
    static let seeds = Array(UInt64(1)...(isStress ? 100 : 6))
    static let count = isStress ? 1_000 : 300

    @Test("random operations agree with the model, with the same answers on every engine", arguments: seeds)
    func agreeWithTheModel(seed: UInt64) throws {
        let logs = try EngineConformance.rows.map { row in
            try RandomOperations.run(seed: seed, count: Self.count, on: row)
        }
        for log in logs { #expect(log == logs[0], "seed \(seed)") }
    }

    @Test("a restored store in memory, while it is still being built, does what the model does")
    func agreeAfterRestoringInMemory() throws {
        let row = EngineCase(name: "memory", factory: MemoryEngineFactory())
        // Raises the last sequence after a rebuild and inserts at it.
        try RandomOperations.run(seed: 43, count: 1_000, on: row)
    }

    @Test("a lost call is noticed, and the failing run is shrunk", arguments: FaultPlan.losableCalls)
    func noticeALostCall(name: String) throws {
        let plan = FaultPlan()
        plan.lose(name)
        let row = EngineCase(
            name: "losing \(name)",
            factory: FaultInjectingEngineFactory(MemoryEngineFactory(), faults: plan)
        )
        let failure = try #require(throws: RandomFailure.self) {
            for seed in UInt64(1)...8 { try RandomOperations.run(seed: seed, count: 300, on: row) }
        }
        #expect(failure.operations.count <= 6, "\(failure)")
    }
}
