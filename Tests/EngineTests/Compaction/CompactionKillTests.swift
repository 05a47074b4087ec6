import Foundation
import Settee
import SetteeProgramSupport
import SetteeTestSupport
import StorageConformance
import Testing

/// A process that updates documents while the files are rewritten is killed at random moments, again and again: what it
/// reported as committed is there, nothing else is wrong, and nothing is left behind.
@Suite("Kills while files are rewritten", .serialized)
struct CompactionKillTests {
    private static let kills = ProcessInfo.processInfo.environment["SETTEE_STRESS"] != nil ? 1000 : 25
    private static let documents = 400
    /// Under the thread sanitizer everything takes several times as long.
    private static let slowness = ProcessInfo.processInfo.environment["SETTEE_SANITIZED"] != nil ? 4.0 : 1

    @Test func aKillLosesNothing() throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        var random = SeededGenerator(seed: seed)
        let folder = try TemporaryFolder()
        let path = folder.url.appending(path: "test.settee")
        let first = try open(path, create: true)
        try first.inTransaction {
            for number in 0..<Self.documents { try first["d\(number)"].put(["commit": 0]) }
        }
        try first.close()
        var switches: Set<String> = []
        for round in 1...Self.kills {
            let child = try Child(
                program: Program.named("SetteeCompactionProbe"),
                [path.path, "\(round)"],
                input: [],
                environment: [:]
            )
            // However slow the machine is, most kills interrupt some work.
            if round % 4 > 0 { try child.waitForOutput() }
            Thread.sleep(forTimeInterval: Double.random(in: 0.01...0.9, using: &random) * Self.slowness)
            child.kill()
            let outcome = try child.wait()
            let note: Comment = "seed \(seed), round \(round): \(outcome.errors)"
            #expect(outcome.status == 128 + 9, note)
            let committed = outcome.lines.compactMap { Int64($0) }.last
            switches.formUnion(try verify(path, committed, Int64(round), note))
        }
        #expect(switches.count > Self.kills / 20, "The files were hardly ever rewritten.")
    }

    /// The names of the generations that were there.
    private func verify(
        _ path: URL,
        _ committed: Int64?,
        _ round: Int64,
        _ note: Comment
    ) throws -> [String] {
        let database = try open(path, create: false)
        defer { try? database.close() }
        #expect(try database.check().map(\.description) == [], note)
        let last = try database["last"].revision()?.properties["commit"]?.intValue ?? 0
        if let committed { #expect(last >= committed, note) }
        // One more commit may have been made than was reported.
        #expect(last <= (committed.map { $0 + 1 } ?? round * 1_000_000), note)
        // Each document has the commit that touched it last.
        if last >= round * 1_000_000 {
            let turn = last - round * 1_000_000
            for number in 0..<Int64(Self.documents) {
                let steps = (number + turn) % 4
                guard steps <= turn else { continue }
                let found = try database["d\(number)"].revision()?.properties["commit"]?.intValue
                #expect(found == last - steps, "document \(number), \(note)")
            }
        }
        let names = try FileManager.default.contentsOfDirectory(atPath: path.path)
        let generations = names.filter { $0.hasPrefix("data-") }
        #expect(generations.count == 1, note)
        #expect(!names.contains { $0.hasPrefix(".settee-staging") }, note)
        return generations
    }

    private func open(_ path: URL, create: Bool) throws -> Database {
        try Database.open(
            at: path,
            options: DatabaseOptions(
                storageType: .lmdb,
                create: create,
                durability: .normal,
                compactionThreshold: nil
            ),
            engines: [Storage.factory(.lmdb)]
        )
    }
}
