import Foundation
import Settee
import SetteeProgramSupport
import SetteeQueries
import SetteeTestSupport
import StorageConformance
import StorageProtocol
import Testing

/// A process that defines, builds, updates and removes indexes is killed at random moments. Whatever it was doing,
/// queries find what there is, and what is stored is whole.
@Suite struct KilledIndexTests {
    private static let isLong = ProcessInfo.processInfo.environment["SETTEE_STRESS"] != nil
    /// For each engine.
    private static let kills = isLong ? 1000 / StressShare.current.count : 5

    @Test(arguments: Storage.everyPersistent) func queriesFindWhatThereIs(_ type: StorageType) async throws {
        var random = SeededGenerator(seed: 4_900 + UInt64(StressShare.current.number))
        let bed = try TestDatabase(type)
        let path = try bed.path
        try SharedDatabase.fill(bed.database, 2000)
        try bed.database.close()
        for turn in 0..<KilledIndexTests.kills {
            let (seed, delay) = (random.next(), Double.random(in: 0..<0.25, using: &random))
            await #expect(processExitsWith: .signal(SIGKILL), "turn \(turn)") {
                [path = path as String, type = type.name as String, seed = seed as UInt64, delay = delay as Double] in
                let database = try SharedDatabase.open(path, StorageType(type))
                Thread.detachNewThread {
                    Thread.sleep(forTimeInterval: delay)
                    kill(getpid(), SIGKILL)
                }
                try KilledIndexTests.work(in: database, seed: seed)
            }
            let note = "\(type), turn \(turn), seed \(seed), delay \(delay)"
            let database = try SharedDatabase.open(path, type)
            let isReadFirst = turn % 2 == 0
            if isReadFirst { #expect(try database.check().map(\.description) == [], "\(note)") }
            do {
                try database.comparePlainly(SharedDatabase.questions(turn % 80))
                // These may build what is missing.
                for (selector, sort) in SharedDatabase.questions(turn % 80) {
                    _ = try database.find(selector, sort: sort).run()
                }
                try database.comparePlainly(SharedDatabase.questions(turn % 80))
                for index in try database.indexes() { try database.updateIndex(named: index.name) }
                #expect(try database.indexes().allSatisfy { !$0.isStale }, "\(note)")
                try database.comparePlainly(SharedDatabase.questions(turn % 80))
            } catch {
                Issue.record(error, "\(note)")
            }
            #expect(try database.check().map(\.description) == [], "\(note)")
            try database.close()
        }
        try bed.manager.close()
    }

    /// Works on indexes until the process is killed.
    private static func work(in database: Database, seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let fields = ["n", "m", "text", "_id"]
        while true {
            let place = DefinitionPlace.allCases[random.below(2)]
            switch random.below(6) {
            case 0: try place.remove(from: database)
            case 1:
                // Much that indexes have not seen.
                let (turn, first) = (random.below(1000), random.below(1500))
                try database.inTransaction {
                    for number in first..<first + 500 {
                        try database["d\(number)"].update { $0 = SharedDatabase.body(number, turn: turn) }
                    }
                    for _ in 0..<5 { try database["d\(random.below(2000))"].purge() }
                }
            case 2:
                let first = random.below(3)
                try place.define(Array(fields[first...first + random.below(4 - first)]), in: database)
                _ = try database.find([fields[first]: 5]).run()
            case 3:
                try database.removeUnusedValueIndexes()
            default:
                try place.define([fields[random.below(2)], "text"], in: database)
                try database.updateIndex(named: place.name)
            }
        }
    }
}
