import Foundation
import Settee
import SetteeTestSupport
import StorageConformance
import Synchronization
import Testing

@testable import SetteeEngine

/// Many readers, each of whom sees one state, while one thread writes and the files are rewritten automatically.
@Suite("Readers, a writer and rewrites") struct CrowdTests {
    private static let isLong = ProcessInfo.processInfo.environment["SETTEE_STRESS"] != nil
    private static let readers = 64
    private static let documents = 120
    private static let ballast = 1500

    /// In odd rounds there are many more documents, so that most of the files is free again afterwards.
    private static func extra(_ round: Int) -> Int { round % 2 == 1 ? ballast : 0 }

    /// How many rewrites to wait for, and how long the test runs at least and at most.
    private static let rewrites = isLong ? 20 : 1
    private static let shortest = Duration.seconds(isLong ? 60 : 3)
    private static let longest = Duration.seconds(isLong ? 900 : 180)

    @Test func everyReadIsOfOneState() throws {
        let folder = try TemporaryFolder()
        let path = folder.url.appending(path: "test.settee")
        let database = try open(path, threshold: 0.3)
        // Old bodies would fill the files; rewriting them does not drop any.
        try database.setMaxRevTreeDepth(1)
        try write(database, round: 0, after: 0)
        let isOver = Atomic(false)
        let counts = (0..<4).map { _ in Counter() }
        let rewritten = Counter()
        let writer = Background {
            defer { isOver.store(true, ordering: .relaxed) }
            let start = ContinuousClock.now
            var round = 0
            var last: Date?
            while rewritten.value < Self.rewrites || ContinuousClock.now - start < Self.shortest {
                for _ in 0..<2 {
                    round += 1
                    try write(database, round: round, after: round - 1)
                }
                // Writing continues until the space is given back.
                while database.compactor.status.last?.finished == last {
                    guard ContinuousClock.now - start < Self.longest else { return }
                    round += 2
                    try write(database, round: round, after: round - 2)
                }
                last = database.compactor.status.last?.finished
                rewritten.add()
            }
        }
        try onThreads(Self.readers) { (thread) throws in
            var random = SeededGenerator(seed: UInt64(thread))
            while !isOver.load(ordering: .relaxed) {
                switch thread % 4 {
                case 0: try readPoint(database, &random)
                case 1: try scan(database)
                case 2: try snapshot(database, &random)
                default: try compareTwice(database, &random)
                }
                counts[thread % 4].add()
                // So that the writer gets its turns on few processors.
                Thread.sleep(forTimeInterval: Double.random(in: 0...0.2, using: &random))
            }
        }
        try writer.join()
        let status = try database.statistics().compaction
        #expect(rewritten.value >= Self.rewrites, "The files were hardly ever rewritten: \(status)")
        #expect(counts.allSatisfy { $0.value >= Self.readers / 4 })
        #expect(try database.statistics().openSnapshots.isEmpty)
        #expect(try database.check().map(\.description) == [])
        try database.close()
        let again = try open(path, threshold: nil)
        try scan(again)
        #expect(try again.check().map(\.description) == [])
        try again.close()
        let names = try FileManager.default.contentsOfDirectory(atPath: path.path)
        #expect(names.count { $0.hasPrefix("data-") } == 1)
        #expect(!names.contains { $0.hasPrefix(".settee-staging") })
    }

    private func open(_ path: URL, threshold: Double?) throws -> Database {
        try Database.open(
            at: path,
            options: DatabaseOptions(storageType: .lmdb, durability: .normal, compactionThreshold: threshold),
            engines: [Storage.factory(.lmdb)]
        )
    }

    /// All documents get the round's number, in one transaction.
    private func write(_ database: Database, round: Int, after previous: Int) throws {
        try database.inTransaction {
            for number in 0..<Self.documents {
                let document = database["d\(number)"]
                try document.put(CompactionFixture.content(number, round), parent: document.revision()?.id)
            }
            for number in 0..<Self.extra(round) {
                try database["x\(number)"].put(CompactionFixture.content(number, round))
            }
            for number in 0..<Self.extra(previous) { try database["x\(number)"].purge() }
        }
    }

    private func readPoint(_ database: Database, _ random: inout SeededGenerator) throws {
        let number = Int.random(in: 0..<Self.documents, using: &random)
        let found = try database["d\(number)"].read().properties
        #expect(found == CompactionFixture.content(number, Int(found["round"]?.intValue ?? -1)))
    }

    /// One state: all documents of one round, and as many as such a round has.
    private func scan(_ database: Database) throws {
        try database.read { (_) throws in
            var rounds: Set<Int64> = []
            var documents = 0
            try database.allDocuments(.init(startKey: "d", endKey: "e", includeBodies: true)).forEach { row in
                documents += 1
                rounds.insert(try #require(row.revision).properties["round"]?.intValue ?? -1)
            }
            #expect(documents == Self.documents && rounds.count == 1)
            let round = Int(try #require(rounds.first))
            var extra = 0
            try database.allDocuments(.init(startKey: "x")).forEach { _ in extra += 1 }
            #expect(extra == Self.extra(round))
        }
    }

    private func snapshot(_ database: Database, _ random: inout SeededGenerator) throws {
        let number = Int.random(in: 0..<Self.documents, using: &random)
        try database.read { (snapshot) throws in
            let round = Int(try snapshot.revision(of: "d\(number)")?.properties["round"]?.intValue ?? -1)
            #expect(try snapshot.documentCount == UInt64(Self.documents + Self.extra(round)))
            for other in stride(from: 0, to: Self.documents, by: 10) {
                let found = try snapshot.revision(of: "d\(other)")?.properties["round"]
                #expect(found == JSONValue(round))
            }
            let hasExtra = try snapshot.revision(of: "x\(number)") != nil
            #expect(hasExtra == (Self.extra(round) > 0))
        }
    }

    /// A snapshot does not change while the files are changed and replaced.
    private func compareTwice(_ database: Database, _ random: inout SeededGenerator) throws {
        let number = Int.random(in: 0..<Self.documents, using: &random)
        let pause = Double.random(in: 0...0.2, using: &random)
        try database.read { (snapshot) throws in
            let before = try snapshot.revision(of: "d\(number)")?.text
            let sequence = try snapshot.lastSequence
            Thread.sleep(forTimeInterval: pause)
            #expect(try snapshot.revision(of: "d\(number)")?.text == before)
            #expect(try snapshot.lastSequence == sequence)
        }
    }
}

private final class Counter: Sendable {
    private let count = Atomic(0)

    var value: Int { count.load(ordering: .relaxed) }
    func add() { count.add(1, ordering: .relaxed) }
}
