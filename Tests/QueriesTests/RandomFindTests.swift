import Foundation
import Settee
import SetteeProgramSupport
import SetteeQueries
import SetteeSelectorSupport
import SetteeTestSupport
import StorageConformance
import StorageProtocol
import Testing

/// Random queries find what a plain evaluation of all documents finds, in the same order, whatever plan is taken: with
/// indexes that come and go, conflicts, purges, in transactions and snapshots, in pages and behind bookmarks.
@Suite struct RandomFindTests {
    private static let isLong = ProcessInfo.processInfo.environment["SETTEE_STRESS"] != nil
    /// For each engine and seed; 100,000 queries for each engine in the long form.
    private static let rounds = isLong ? 100_000 / 3 / StressShare.current.count + 1 : 60
    private static let seeds: [UInt64] =
        ProcessInfo.processInfo.environment["SETTEE_SEED"].flatMap { UInt64($0) }.map { [$0] }
        ?? [1, 2, 3].map { $0 + 3 * UInt64(StressShare.current.number) }

    @Test(arguments: Storage.every, RandomFindTests.seeds)
    func sameAsThePlainEvaluation(_ type: StorageType, seed: UInt64) throws {
        try withOpenDatabase(type) { db in
            var run = RandomFindRun(db, seed: seed)
            try run.run(rounds: RandomFindTests.rounds)
            // Enough of them find something, and there are several plans for many.
            #expect(run.found * 5 > run.compared && run.plans > 2 * run.compared)
            #expect(!RandomFindTests.isLong || run.intersections > 0)
        }
    }

    /// Seconds for each engine.
    private static let time = isLong ? 120.0 : 1

    /// Another process changes documents and indexes, one commit after the other.
    @Test(arguments: Storage.shared)
    func inTheMiddleOfAnotherProcessesWrites(_ type: StorageType) async throws {
        let bed = try TestDatabase(type)
        let (database, path) = (bed.database, try bed.path)
        try database.inTransaction {
            for number in 0..<RandomFindRun.pairs {
                try database["p\(number)"].put(["side": "x"])
                try database["q\(number)"].put(["side": "y"])
            }
        }
        let seed = RandomFindTests.seeds[0]
        let isOver = Locked(false)
        let compared = Locked(0)
        let here = Background {
            var run = RandomFindRun(database, seed: seed)
            try run.runBesideWriter {
                SharedDatabase.isAtWork(path, unless: { isOver.withLock { $0 } })
            }
            compared.withLock { [count = run.compared] in $0 = count }
        }
        let time = RandomFindTests.time
        await #expect(processExitsWith: .success) {
            [path = path as String, type = type.name as String, seed = seed as UInt64, time = time as Double] in
            let other = try SharedDatabase.open(path, StorageType(type))
            var run = RandomFindRun(other, seed: seed + 1000)
            SharedDatabase.Progress.begun.tell(path)
            defer { SharedDatabase.Progress.ended.tell(path) }
            let end = ContinuousClock.now + .seconds(time)
            while ContinuousClock.now < end {
                for _ in 0..<20 {
                    if run.maker.generator.chance(1, in: 2) { try run.changePair() } else { try run.change() }
                }
                do throws(StorageError) {
                    try run.changeIndexes()
                } catch {
                    guard error.code == .notFound else { throw error }
                }
            }
            try other.close()
        }
        isOver.withLock { $0 = true }
        try here.join()
        #expect(compared.withLock { $0 } > 5)
        #expect(try database.check().map(\.description) == [])
        try bed.manager.close()
    }
}
