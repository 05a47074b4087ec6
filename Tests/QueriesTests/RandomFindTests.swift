import Foundation
import Settee
import SetteeTestSupport
import StorageProtocol
import Testing

/// Random queries find what a plain evaluation of all documents finds, in the same order, whatever plan is taken: with
/// indexes that come and go, conflicts, purges, in transactions and snapshots, in pages and behind bookmarks.
@Suite struct RandomFindTests {
    private static let rounds = ProcessInfo.processInfo.environment["SETTEE_STRESS"] == nil ? 60 : 3000
    private static let seeds: [UInt64] =
        ProcessInfo.processInfo.environment["SETTEE_SEED"].flatMap { UInt64($0) }.map { [$0] } ?? [1, 2, 3]

    @Test(arguments: Storage.every, RandomFindTests.seeds)
    func sameAsThePlainEvaluation(_ type: StorageType, seed: UInt64) throws {
        try withOpenDatabase(type) { db in
            var run = RandomFindRun(db, seed: seed)
            try run.run(rounds: RandomFindTests.rounds)
            // Enough of them find something, and there are several plans for many.
            #expect(run.found * 5 > run.compared && run.plans > 2 * run.compared)
            #expect(run.intersections > 0)
        }
    }
}
