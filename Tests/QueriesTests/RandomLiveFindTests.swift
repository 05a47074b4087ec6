import Foundation
import Settee
import SetteeTestSupport
import StorageProtocol
import Testing

/// Live queries show what a plain evaluation of all documents finds, whatever changes: with limits, orders and skipped
/// rows, indexes that come and go, conflicts, purges and transactions.
@Suite struct RandomLiveFindTests {
    private static let rounds = ProcessInfo.processInfo.environment["SETTEE_STRESS"] == nil ? 100 : 5000
    private static let seeds: [UInt64] =
        ProcessInfo.processInfo.environment["SETTEE_SEED"].flatMap { UInt64($0) }.map { [$0] } ?? [1, 2, 3]

    @Test(arguments: Storage.all, RandomLiveFindTests.seeds)
    func sameAsThePlainEvaluation(_ type: StorageType, seed: UInt64) throws {
        try withDatabase(type) { (bed) throws in
            var run = RandomFindRun(bed.database, seed: seed)
            let statistics = try run.runLive(rounds: RandomLiveFindTests.rounds)
            // Many changes did not concern a query.
            #expect(statistics.documentsChecked > 0 && statistics.runs < statistics.results)
        }
    }
}
