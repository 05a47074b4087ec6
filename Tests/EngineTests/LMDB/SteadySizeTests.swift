import Foundation
import Settee
import SetteeTestSupport
import StorageConformance
import StorageProtocol
import Synchronization
import Testing

@testable import SetteeEngine

/// Documents that are updated again and again, and keep their size, do not make the files grow without end.
@Suite("Updates at steady size") struct SteadySizeTests {
    /// The duration, the number of documents of about a kilobyte, how many of them one transaction updates at most, and
    /// the pause after each transaction in seconds: a single snapshot must not live through updates of the whole of a
    /// small store. The long form takes 30 minutes, or `SETTEE_STRESS_MINUTES`.
    private static let form: (time: Duration, documents: Int, batch: Int, pause: Double) = {
        let environment = ProcessInfo.processInfo.environment
        guard environment["SETTEE_STRESS"] != nil else { return (.seconds(5), 3000, 10, 0.01) }
        let minutes = environment["SETTEE_STRESS_MINUTES"].flatMap { Double($0) } ?? 30
        return (.seconds(minutes * 60), 40_000, 200, 0)
    }()

    /// Outside rewrites the files are less than three times their packed size. During one there is also the copy, at
    /// most one and a half times the packed size.
    @Test func theFilesStaySmall() throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        var random = SeededGenerator(seed: seed)
        let folder = try TemporaryFolder()
        let database = try Database.open(
            at: folder.url.appending(path: "test.settee"),
            options: DatabaseOptions(storageType: .lmdb, durability: .normal, compactionThreshold: 0.5),
            engines: [Storage.factory(.lmdb)]
        )
        // The bodies of old revisions are not waste: they stay until `compact` is called.
        try database.setMaxRevTreeDepth(1)
        for start in stride(from: 0, to: Self.form.documents, by: 500) {
            try database.inTransaction {
                for number in start..<start + 500 { try database["d\(number)"].put(content(&random)) }
            }
        }
        var packed = try database.compact().bytesAfter
        let watch = SizeWatch()
        let isOver = Atomic(false)
        let watcher = Background {
            while !isOver.load(ordering: .relaxed) {
                try watch.look(database)
                Thread.sleep(forTimeInterval: 0.01)
            }
        }
        let end = ContinuousClock.now + Self.form.time
        // There is at least one in the short form, too.
        let asking = Background {
            Thread.sleep(forTimeInterval: 2)
            try database.compact()
        }
        var commits = 0
        while ContinuousClock.now < end {
            try database.inTransaction {
                for _ in 0..<Int.random(in: 1...Self.form.batch, using: &random) {
                    let document = database["d\(Int.random(in: 0..<Self.form.documents, using: &random))"]
                    try document.put(content(&random), parent: document.revision()?.id)
                }
            }
            commits += 1
            if Self.form.pause > 0 { Thread.sleep(forTimeInterval: Self.form.pause) }
        }
        isOver.store(true, ordering: .relaxed)
        try watcher.join()
        try asking.join()
        packed = max(packed, try database.compact().bytesAfter)
        let note: Comment = "seed \(seed), \(commits) commits, packed \(packed), \(watch.description)"
        #expect(watch.looks > 50 && watch.outside > 0 && watch.inside > 0, note)
        #expect(watch.outside < packed * 3, note)
        #expect(watch.inside < packed * 3 + packed * 3 / 2, note)
        #expect(try database.documentCount == UInt64(Self.form.documents), note)
        #expect(try database.check().map(\.description) == [], note)
        try database.close()
    }

    /// Of 200 to 1,800 bytes.
    private func content(_ random: inout SeededGenerator) -> JSONObject {
        let count = Int.random(in: 200...1800, using: &random)
        return [
            "n": .int(Int64.random(in: 0...Int64.max, using: &random)),
            "text": .string(String(repeating: "x", count: count)),
        ]
    }
}

/// The largest sizes that were seen.
private final class SizeWatch: Sendable, CustomStringConvertible {
    private let seen = Locked((outside: UInt64(0), inside: UInt64(0), looks: 0))

    /// Outside rewrites and during them, in bytes.
    var outside: UInt64 { seen.withLock { $0.outside } }
    var inside: UInt64 { seen.withLock { $0.inside } }
    var looks: Int { seen.withLock { $0.looks } }
    var description: String { "outside \(outside), inside \(inside), \(looks) looks" }

    func look(_ database: Database) throws {
        let before = database.compactor.status
        let files = try database.files()
        let after = database.compactor.status
        let bytes = files.values.reduce(0, +)
        // The old files are removed with their last reader.
        let generations = files.keys.count { $0.hasSuffix("data.mdb") }
        let isOutside = generations == 1 && !before.isRunning && !after.isRunning && before.last == after.last
        seen.withLock { seen in
            seen.looks += 1
            if isOutside { seen.outside = max(seen.outside, bytes) } else { seen.inside = max(seen.inside, bytes) }
        }
    }
}
