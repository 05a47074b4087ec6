#if RocksDB
import Foundation
import SetteeProgramSupport
import StorageConformance
import Testing

/// RocksDB can end the process over a damaged file. So the program itself is run on each.
@Suite("Random damage to RocksDB's files")
struct RocksDBDamageCommandTests {
    private static let isStress = ProcessInfo.processInfo.environment["SETTEE_STRESS"] != nil
    private static let rounds = isStress ? 1000 : 24

    private enum Damage: CaseIterable {
        case flip, zero, cut, empty, remove, swap
    }

    @Test("It is 591, or all is there; no signal ends the program")
    func isToldOrHarmless() throws {
        let folder = try Folder()
        let line = { (number: Int) in #"{"_id":"d\#(number)","text":"\#(String(repeating: "x", count: number % 700))"}"#
        }
        let original = try folder.database(
            "original",
            type: "rocksdb",
            documents: (0..<600).map(line).joined(separator: "\n")
        )
        try Program.succeed("compact", original)
        try Program.succeed("import", original, "-", input: (600..<900).map(line).joined(separator: "\n"))
        let whole = try Program.succeed("export", original).text
        var random = SeededGenerator(seed: 50)
        var told = 0
        for round in 0..<Self.rounds {
            let db = folder.path("db")
            try FileManager.default.copyItem(atPath: original, toPath: db)
            defer { try? FileManager.default.removeItem(atPath: db) }
            let what = try damage(db + "/data-000001/rocksdb", &random)
            let note: Comment = "round \(round): \(what)"
            let check = try Program.run("check", db, "--json")
            let export = try Program.run("export", db)
            for outcome in [check, export] {
                #expect(0...1 ~= outcome.status, "\(note): \(outcome.status) \(outcome.errors)")
                // What `check` lists goes to the output.
                let isTold = outcome.errors.contains("591") || outcome.text.contains(#""ok":false"#)
                #expect(outcome.status == 0 || isTold, "\(note): \(outcome.text)\(outcome.errors)")
            }
            if check.status == 1 || export.status == 1 { told += 1 }
            if export.status == 0 { #expect(export.text == whole, note) }
        }
        #expect(told > Self.rounds / 4)
    }

    /// Damages one file, or exchanges the contents of two.
    private func damage(_ folder: String, _ random: inout SeededGenerator) throws -> String {
        let names = try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0 != "LOCK" }.sorted()
        let name = try #require(names.randomElement(using: &random))
        let url = URL(filePath: folder + "/" + name)
        var bytes = try Data(contentsOf: url)
        let kind = bytes.isEmpty ? Damage.remove : try #require(Damage.allCases.randomElement(using: &random))
        let place = bytes.isEmpty ? 0 : Int.random(in: 0..<bytes.count, using: &random)
        switch kind {
        case .flip: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
        case .zero:
            let end = min(bytes.count, place + Int.random(in: 1...5000, using: &random))
            bytes.replaceSubrange(place..<end, with: Data(count: end - place))
        case .cut: bytes.removeLast(bytes.count - place)
        case .empty: bytes.removeAll()
        case .remove: try FileManager.default.removeItem(at: url)
        case .swap:
            let other = try #require(names.randomElement(using: &random))
            let content = try Data(contentsOf: URL(filePath: folder + "/" + other))
            try bytes.write(to: URL(filePath: folder + "/" + other))
            bytes = content
        }
        if kind != .remove { try bytes.write(to: url) }
        return "\(kind) \(name) at \(place)"
    }
}
#endif
