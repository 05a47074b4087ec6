import Dispatch
import Foundation
import Settee
import SetteeProgramSupport
import StorageConformance
import Testing

/// Index updates that are killed: what is there stays correct, and the next update finishes the work.
@Suite(.serialized) struct ViewCrashTests {
    private static let isStress = ProcessInfo.processInfo.environment["SETTEE_STRESS"] != nil
    private static let points = isStress ? 500 / StressShare.current.count : 4
    private static let documents = isStress ? 15_000 : 9000

    @Test(arguments: PlainTypes.all) func aKilledUpdateGoesOn(_ type: String) throws {
        var random = SeededGenerator(seed: 1_723 + UInt64(StressShare.current.number))
        let folder = try Folder()
        let db = try folder.database(type: type)
        try Program.succeed("import", db, "-", input: lines(turn: 0))
        try define(db)
        var usual = try seconds { try Program.succeed("view", "update", db, "byNumber") }
        var kills = 0
        for point in 1...ViewCrashTests.points {
            let note = "\(type), seed \(random.seed), point \(point)"
            // Every other time the index is rebuilt; otherwise it is brought up to date after many changes.
            let isBuild = point % 2 == 0
            if isBuild {
                try Program.succeed("view", "rm", db, "byNumber")
                try define(db)
            } else {
                try change(db, turn: point)
            }
            let start = ContinuousClock.now
            let child = try Child(["view", "update", db, "byNumber"], input: [])
            let killer = DispatchWorkItem { child.kill() }
            let delay = usual * Double.random(in: 0.05...1, using: &random)
            DispatchQueue(label: "killer").asyncAfter(deadline: .now() + delay, execute: killer)
            let wasKilled = try child.wait().status != 0
            killer.cancel()
            if wasKilled { kills += 1 } else { usual = min(usual, (ContinuousClock.now - start) / .seconds(1)) }
            let report = try Program.run("check", db, "--json")
            #expect(report.status == 0, "\(note): \(report.text)\(report.errors)")
            let row = try Program.succeed("view", "query", db, "byNumber", "--json").object()
            #expect(row["value"] == JSONValue(ViewCrashTests.documents), "\(note)")
            #expect(try Program.succeed("check", db, "--json").object()["ok"] == true, "\(note)")
        }
        #expect(kills > 0 || ViewCrashTests.points < 100, "\(type), seed \(random.seed): hardly any update was killed")
    }

    private func define(_ db: String) throws {
        let key = ["--key", "/n", "--key", "/turn"]
        #expect(
            try Child(["view", "define", db, "byNumber"] + key + ["--reduce", "_count"], input: []).wait().status == 0
        )
    }

    private func lines(turn: Int) -> String {
        (0..<ViewCrashTests.documents).map { #"{"_id":"d\#($0)","n":\#($0 % 977),"turn":\#(turn)}"# }
            .joined(separator: "\n")
    }

    /// Gives all documents new revisions.
    private func change(_ db: String, turn: Int) throws {
        let database = try Database.open(at: URL(filePath: db))
        try database.inTransaction {
            for number in 0..<ViewCrashTests.documents {
                try database["d\(number)"].update { document in
                    document["n"] = JSONValue((number + turn) % 977)
                    document["turn"] = JSONValue(turn)
                }
            }
        }
        try database.close()
    }

    private func seconds(_ body: () throws -> Void) rethrows -> Double {
        let start = ContinuousClock.now
        try body()
        return (ContinuousClock.now - start) / .seconds(1)
    }
}
