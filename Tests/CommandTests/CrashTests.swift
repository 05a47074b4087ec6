import Dispatch
import Foundation
import Settee
import SetteeProgramSupport
import StorageConformance
import Testing

@Suite("Kills", .serialized)
struct CrashTests {
    /// What is known of the database between kills.
    private struct Expectation {
        var acknowledged: Set<String> = []
        var turn = 0
    }

    private static let isStress = ProcessInfo.processInfo.environment["SETTEE_STRESS"] != nil

    private static let points = isStress ? 1000 : 50

    @Test(
        "Every acknowledged write is there after a kill, check passes, and nothing is left behind",
        arguments: PlainTypes.all
    )
    func kills(_ type: String) throws {
        var random = SeededGenerator(seed: 4_711)
        let folder = try Folder()
        let db = try folder.database(type: type)
        var known = Expectation()
        var survivors = 0
        var usual = try usualSeconds(type, in: folder)
        for point in 0..<CrashTests.points {
            known.turn = point
            let note = "\(type), seed \(random.seed), point \(point)"
            let wasKilled = try step(db, &known, &usual, &random)
            if !wasKilled { survivors += 1 }
            try verify(folder, db, known, note)
            if point % 8 == 7 {
                // Listing everything after each kill would take longer and longer.
                try FileManager.default.removeItem(atPath: db)
                _ = try folder.database(type: type)
                known = Expectation()
            }
        }
        // Most delays end before the work does, or nothing was tested.
        #expect(survivors < CrashTests.points * 7 / 10, "\(type), seed \(random.seed)")
    }

    /// How long the programs take when nobody kills them, in seconds: the kills fall within that time. Updated as the
    /// machine gets slower or faster.
    private struct Usual {
        var importing: Double
        var other: Double

        static func follow(_ usual: inout Double, _ outcome: (wasKilled: Bool, seconds: Double)) {
            usual = outcome.wasKilled ? usual * 1.05 : min(usual, outcome.seconds)
        }
    }

    private func usualSeconds(_ type: String, in folder: Folder) throws -> Usual {
        let db = try folder.database("timed", type: type)
        defer { try? FileManager.default.removeItem(atPath: db) }
        func seconds(_ body: () throws -> Void) rethrows -> Double {
            let start = ContinuousClock.now
            try body()
            return (ContinuousClock.now - start) / .seconds(1)
        }
        return Usual(
            importing: try seconds { _ = try Child(importing(db), input: Array(lines(turn: 0).utf8)).wait() },
            other: try seconds { _ = try Program.succeed("compact", db) }
        )
    }

    private func importing(_ db: String) -> [String] { ["import", db, "-", "--report-batches"] }

    private func ids(turn: Int) -> [String] { (0..<3000).map { "t\(turn)-\($0)" } }

    private func lines(turn: Int) -> String {
        let text = String(repeating: "x", count: 100)
        return ids(turn: turn).map { #"{"_id":"\#($0)","text":"\#(text)"}"# }.joined(separator: "\n")
    }

    /// Runs a put, an import or a compaction, and kills it after a random time.
    private func step(
        _ db: String,
        _ known: inout Expectation,
        _ usual: inout Usual,
        _ random: inout SeededGenerator
    ) throws -> Bool {
        let part = Double.random(in: 0.02...1, using: &random)
        switch Int.random(in: 0..<6, using: &random) {
        case 0:
            let (outcome, ending) = try kill(["compact", db], input: "", after: part * usual.other)
            Usual.follow(&usual.other, ending)
            return outcome.status != 0
        case 1:
            let id = "put-\(known.turn)"
            let (outcome, ending) = try kill(["put", db, id, "{}", "--json"], input: "", after: part * usual.other)
            Usual.follow(&usual.other, ending)
            if !outcome.output.isEmpty { known.acknowledged.insert(id) }
            return outcome.status != 0
        default:
            let input = lines(turn: known.turn)
            let (outcome, ending) = try kill(importing(db), input: input, after: part * usual.importing)
            Usual.follow(&usual.importing, ending)
            let committed =
                outcome.lines.compactMap { (try? JSONValue(parsing: $0))?["committed"]?.intValue }.max() ?? 0
            known.acknowledged.formUnion(ids(turn: known.turn).prefix(Int(committed)))
            return outcome.status != 0
        }
    }

    private func kill(
        _ arguments: [String],
        input: String,
        after delay: Double
    ) throws -> (Program.Outcome, (wasKilled: Bool, seconds: Double)) {
        let start = ContinuousClock.now
        let child = try Child(arguments, input: Array(input.utf8))
        let killer = DispatchWorkItem { child.kill() }
        DispatchQueue(label: "killer").asyncAfter(deadline: .now() + delay, execute: killer)
        defer { killer.cancel() }
        let outcome = try child.wait()
        return (outcome, (outcome.status != 0, (ContinuousClock.now - start) / .seconds(1)))
    }

    private func verify(_ folder: Folder, _ db: String, _ known: Expectation, _ note: String) throws {
        let report = try Program.run("check", db, "--json")
        #expect(report.status == 0, "\(note): \(report.text)\(report.errors)")
        let listed = Set(try Program.succeed("ls", db, "--json").objects().compactMap { $0["id"]?.stringValue })
        let lost = known.acknowledged.subtracting(listed)
        #expect(lost.isEmpty, "\(note): \(lost.count) acknowledged documents are lost, such as \(lost.first ?? "")")
        #expect(try folder.entries() == ["db"], "\(note)")
        let entries = try folder.entries("db")
        let allowed: Set = ["gate", "lock", "writer", "holders", "manifest.json", "manifest-copy.json"]
        let generations = entries.filter { !allowed.contains($0) }
        #expect(generations.count == 2, "\(note): \(entries)")
        #expect(generations.filter { $0.hasPrefix("data-") }.count == 1, "\(note): \(entries)")
        #expect(generations.filter { $0.hasPrefix("blobs-") }.count == 1, "\(note): \(entries)")
        #expect(try folder.entries("db/holders").isEmpty, "\(note)")
    }
}
