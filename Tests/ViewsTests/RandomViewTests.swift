import Foundation
import Settee
import SetteeTestSupport
import Testing

/// Random operations on documents and views: whatever happened before, a query returns what all documents emit.
@Suite struct RandomViewTests {
    private static let isLong = ProcessInfo.processInfo.environment["SETTEE_STRESS"] != nil

    /// `SETTEE_SEED` repeats one run.
    private static let seeds: [UInt64] = {
        if let seed = ProcessInfo.processInfo.environment["SETTEE_SEED"].flatMap({ UInt64($0) }) { return [seed] }
        return (0..<(isLong ? 200 : 3)).map { _ in UInt64.random(in: 0...UInt64.max) }
    }()

    @Test(arguments: Storage.plain, seeds) func queriesAgreeWithTheDocuments(_ type: StorageType, _ seed: UInt64) throws
    {
        try withDatabase(type) { (bed) throws in
            var run = try RandomViewRun(bed, seed: seed)
            try run.run(steps: RandomViewTests.isLong ? 300 : 80)
            #expect(run.compared > 50, "seed \(seed)")
        }
    }
}
