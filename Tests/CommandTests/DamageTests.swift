import Foundation
import Settee
import SetteeProgramSupport
import StorageConformance
import Testing

/// Commands on an LMDB database whose data file is damaged: each exits by itself with a message, and `check` lists what
/// is wrong.
@Suite("Damaged data files")
struct DamageTests {
    private static let isStress = ProcessInfo.processInfo.environment["SETTEE_STRESS"] != nil
    /// Of each compression: 10,000 damages in the long form.
    private static let rounds = isStress ? 5_000 : 6
    private static let limit: TimeInterval = 60
    private static let commands: [[String]] = [
        ["ls"], ["get", "document 4", "--conflicts"], ["export", "--all"], ["view", "query", "by-kind"],
        ["view", "query", "counts"], ["info"], ["changes", "--include-docs"], ["put", "new", #"{"kind":"c"}"#],
        ["rm", "document 7"],
        ["view", "update"], ["compact"],
    ]

    private let folder: Folder

    init() throws { folder = try Folder() }

    /// Makes a database `db` with everything that a data file can hold; returns the path of its data file.
    private func makeDatabase(compression: String = "none", documents: Int = 300) throws -> String {
        let db = folder.path("db")
        try Program.succeed("create", db, "--storage-type", "lmdb", "--compression", compression)
        var random = SeededGenerator(seed: 1)
        var lines = ""
        for number in 0..<documents {
            let id =
                number % 17 == 3
                ? "\(number) " + String(repeating: "x", count: 470 + number * 7 % 2_000) : "document \(number)"
            let text = String(repeating: "word \(random.next()) ", count: number % 23 == 7 ? 200 : number % 9)
            lines +=
                #"{"_id":"\#(id)","kind":"\#(["a", "b", "c"][number % 3])","n":\#(number),"text":"\#(text)"}"# + "\n"
        }
        try Program.succeed("import", db, "-", input: lines)
        // Conflicts: what two copies made of the same documents.
        try Program.succeed("copy", db, folder.path("other"))
        for (place, kind) in [(db, "here"), (folder.path("other"), "there")] {
            for number in [1, 4, 6] {
                let rev = try #require(
                    try Program.succeed("get", place, "document \(number)", "--json").object()["_rev"]?.stringValue
                )
                try Program.succeed("put", place, "document \(number)", #"{"kind":"\#(kind)"}"#, "--rev", rev)
            }
        }
        let exported = try Program.succeed("export", folder.path("other"), "--all").text
        try Program.succeed("import", db, "-", input: exported)
        for number in 10...13 { try Program.succeed("rm", db, "document \(number)") }
        try Program.succeed("expire", db, "document 14", "--in", "9000000")
        try Program.succeed("purge", db, "document 15")
        let file = try folder.file("attachment", String(repeating: "attached ", count: 5_000))
        try Program.succeed("attach", db, "document 16", "file", file)
        try Program.succeed("view", "define", db, "by-kind", "--key", "/kind", "--value", "/n")
        try Program.succeed("view", "define", db, "counts", "--key", "/n", "--reduce", "_count")
        for view in ["by-kind", "counts"] { try Program.succeed("view", "query", db, view) }
        let data = try #require(try folder.entries("db").last { $0.hasPrefix("data-") })
        return "db/\(data)/data.mdb"
    }

    private func command(_ words: [String]) -> [String] {
        let head = words[0] == "view" ? 2 : 1
        return Array(words.prefix(head)) + [folder.path("db")] + words.dropFirst(head)
    }

    private func forgetSuspicion(_ data: String) {
        try? FileManager.default.removeItem(at: folder.url(data).deletingLastPathComponent().appending(path: "suspect"))
    }

    @Test(
        "No command crashes or hangs on random damage; check gives the same answer twice",
        arguments: ["none", "lz4"]
    )
    func randomDamage(_ compression: String) throws {
        let data = try makeDatabase(compression: compression)
        let sound = try folder.bytes(data)
        try FileManager.default.moveItem(at: folder.url("db"), to: folder.url("sound"))
        for seed in 0..<Self.rounds {
            var random = SeededGenerator(seed: UInt64(seed))
            var bytes = sound
            let name = "seed \(seed), " + strike(&bytes, &random)
            for words in commands(of: seed) {
                try restore(data, bytes)
                let outcome = try run(command(words))
                #expect(outcome.status == 0 || outcome.status == 1, "\(name), \(words): \(outcome.errors)")
                #expect(!outcome.errors.contains("ended in a fault"), "\(name), \(words): \(outcome.errors)")
                #expect(outcome.status == 0 || !outcome.errors.isEmpty, "\(name), \(words)")
            }
            try restore(data, bytes)
            let first = try run(command(["check", "--json"]))
            guard first.output.isEmpty == false else {
                Issue.record("\(name): \(first.status), \(first.errors)")
                continue
            }
            let list = try first.object()
            #expect(list["ok"] == .bool(first.status == 0), "\(name): \(first.errors)")
            #expect((list["problems"]?.arrayValue?.isEmpty ?? false) == (first.status == 0), "\(name)")
            if Self.isStress && seed % 8 != 0 { continue }
            let second = try run(command(["check", "--json"]))
            #expect(first.text == second.text && first.status == second.status, "\(name): \(second.errors)")
        }
    }

    /// Some of the commands for each damage, in turns, so that each of them is run on equally many.
    private func commands(of round: Int) -> [[String]] {
        let count = Self.isStress ? 2 : 3
        return (0..<count).map { Self.commands[(round * count + $0) % Self.commands.count] }
    }

    /// The database as it was made, with this data file.
    private func restore(_ data: String, _ bytes: [UInt8]) throws {
        try? FileManager.default.removeItem(at: folder.url("db"))
        try FileManager.default.copyItem(at: folder.url("sound"), to: folder.url("db"))
        try Data(bytes).write(to: folder.url(data))
    }

    /// Runs a command and expects it to end within a minute.
    private func run(_ arguments: [String]) throws -> Program.Outcome {
        let child = try Child(arguments, input: [])
        let end = Date(timeIntervalSinceNow: Self.limit)
        while child.isRunning, Date() < end { Thread.sleep(forTimeInterval: 0.002) }
        if child.isRunning { child.kill() }
        return try child.wait()
    }

    /// Damages a file, mostly in its meta pages, and in the headers and offsets of the others.
    private func strike(_ bytes: inout [UInt8], _ random: inout SeededGenerator) -> String {
        let size = 4_096
        let page =
            Int.random(in: 0..<10, using: &random) == 0 ? random.next() % 2 : random.next() % UInt64(bytes.count / size)
        let start = Int(page) * size
        let length = page < 2 ? 152 : [16, 16, 96, 96, size][Int(random.next() % 5)]
        let place = start + Int.random(in: 0..<length, using: &random)
        switch random.next() % 8 {
        case 0, 1, 2:
            bytes[place] ^= 1 << UInt8(random.next() % 8)
            return "a bit of byte \(place)"
        case 3:
            bytes[place] = random.next() % 2 == 0 ? 0 : 0xFF
            return "byte \(place)"
        case 4:
            let other = Int(random.next() % UInt64(bytes.count / size)) * size
            let kept = random.next() % 2 == 0 ? 0 : 8
            bytes.replaceSubrange(start + kept..<start + size, with: Array(bytes[other + kept..<other + size]))
            return "page \(page) as the page at \(other), from its byte \(kept)"
        case 5:
            bytes.replaceSubrange(start..<start + size, with: repeatElement(0, count: size))
            return "page \(page) zero"
        case 6:
            bytes.removeLast(Int.random(in: 1..<bytes.count, using: &random))
            return "cut to \(bytes.count) bytes"
        default:
            for offset in 0..<min(64, bytes.count - place) { bytes[place + offset] = UInt8(random.next() % 256) }
            return "64 bytes from \(place)"
        }
    }

    @Test("check lists all that its walk finds, goes on with what can be read, and gives the same answer again")
    func list() throws {
        let data = try makeDatabase()
        var bytes = try folder.bytes(data)
        // Leaf pages of `documents`, found by their content. Some of them are free.
        let leaves = stride(from: 8_192, to: bytes.count, by: 4_096).filter { start in
            bytes[start + 10] == 2
                && String(decoding: bytes[start..<start + 4_096], as: UTF8.self).contains(#""kind":"a","n""#)
        }
        try #require(leaves.count > 4)
        for place in stride(from: 1, to: leaves.count, by: 2) { bytes[leaves[place] + 13] = 0xFF }
        try Data(bytes).write(to: folder.url(data))
        forgetSuspicion(data)
        let first = try Program.run("check", folder.path("db"), "--json")
        #expect(first.status == 1)
        let problems = try #require(try first.object()["problems"]?.arrayValue?.compactMap(\.stringValue))
        #expect(problems.count(where: { $0.hasPrefix("pages: the table 'documents'") }) >= 2, "\(problems)")
        #expect(problems.contains { !$0.hasPrefix("pages: ") }, "\(problems)")
        for _ in 0..<2 {
            let again = try Program.run("check", folder.path("db"), "--json")
            #expect(again.output == first.output && again.status == 1)
        }
        // The mark that the first one left.
        let refused = try Program.run("get", folder.path("db"), "document 299", "--json")
        #expect(try refused.error().status == 591)
    }

    @Test("--verify refuses damage that the command itself would not have read; without it the command goes on")
    func verify() throws {
        let data = try makeDatabase()
        var bytes = try folder.bytes(data)
        let leaf = try #require(
            stride(from: 8_192, to: bytes.count, by: 4_096).first { start in
                bytes[start + 10] == 2
                    && String(decoding: bytes[start..<start + 4_096], as: UTF8.self).contains(#""n":200,"#)
            }
        )
        bytes[leaf + 13] = 0xFF
        try Data(bytes).write(to: folder.url(data))
        forgetSuspicion(data)
        for command in [["get", folder.path("db"), "document 1"], ["ls", folder.path("db"), "--limit", "1"]] {
            try #expect(Child(command, input: []).wait().status == 0)
            let refused = try Child(command + ["--verify", "--json"], input: []).wait()
            #expect(try refused.error().status == 591)
            forgetSuspicion(data)
        }
    }
}
