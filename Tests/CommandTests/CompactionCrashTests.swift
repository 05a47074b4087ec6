import Foundation
import Settee
import SetteeProgramSupport
import Testing

/// `settee compact` on an LMDB database is ended at each of its system calls that touch files. What is there then is the
/// old or the new database, whole, and after the next open nothing else.
@Suite(
    "Kills at the system calls of a compaction",
    .serialized,
    .enabled(if: Strace.path != nil, "strace is not installed: `apt-get install strace`")
)
struct CompactionCrashTests {
    private static let isStress = ProcessInfo.processInfo.environment["SETTEE_STRESS"] != nil
    /// Those that change something; in the long form also others, at which a kill should make no difference.
    private static let names =
        "?mkdir,?mkdirat,?rename,?renameat,?renameat2,?unlink,?unlinkat,?rmdir,?link,?linkat,write,pwrite64,?pwritev,"
        + "fsync,?fdatasync,?msync,?ftruncate,?fallocate,flock,openat"
        + (isStress ? ",fcntl,mmap,munmap,?close,pread64,read" : "")

    /// Which call of this name it is, of the thread that makes it: strace counts so.
    private struct Call: Hashable, CustomStringConvertible {
        var name: String
        var ordinal: Int
        var description: String { "\(name) #\(ordinal)" }
    }

    @Test func aKillLeavesTheOldOrTheNew() throws {
        let folder = try Folder()
        let original = try folder.database("original", type: "lmdb")
        let digest = try fill(original)
        let before = try #require(try generation(original))
        let calls = try record(folder, original)
        try #require(calls.count > 50)
        var outcomes: Set<String> = []
        var kills = 0
        for (place, call) in calls.enumerated() where Self.isStress || place % 7 == 0 {
            let db = folder.path("db")
            try FileManager.default.copyItem(atPath: original, toPath: db)
            let outcome = try run(
                db,
                ["-e", "trace=" + call.name, "-e", "inject=\(call.name):signal=SIGKILL:when=\(call.ordinal)"]
            )
            let note: Comment = "killed at \(call), \(place) of \(calls.count): \(outcome.errors)"
            if outcome.status == 128 + 9 { kills += 1 } else { #expect(outcome.status == 0, note) }
            outcomes.insert(try verify(folder, db, digest, note))
            try FileManager.default.removeItem(atPath: db)
        }
        // Both have been there.
        #expect(outcomes.count == 2 && outcomes.contains(before), "\(outcomes) of \(calls.count) calls")
        // A call that depends on the moment, such as a wait for a lock, may be missing from a run.
        #expect(kills * 10 > (Self.isStress ? calls.count : calls.count / 7) * 9)
    }

    /// Makes the files of the database worth compacting.
    ///
    /// - Returns: the digest of its content.
    private func fill(_ path: String) throws -> String {
        let database = try open(path)
        try database.inTransaction {
            for number in 0..<600 {
                try database["d\(number)"].put(["text": .string(String(repeating: "x", count: number))])
            }
        }
        try database.inTransaction {
            for number in 0..<600 where number % 3 > 0 { try database["d\(number)"].purge() }
        }
        try database["attached"].setAttachment(named: "a.txt", content: Array("content".utf8))
        // So that a compaction has nothing to do but to rewrite the files.
        try database.compact()
        try database["later"].put(["text": "later"])
        let digest = try database.contentDigest()
        try database.close()
        return digest
    }

    private func open(_ path: String) throws -> Database {
        try Database.open(
            at: URL(filePath: path),
            options: DatabaseOptions(create: false, durability: .normal, compactionThreshold: nil),
            engines: BuiltInEngines.all
        )
    }

    private func generation(_ path: String) throws -> String? {
        try FileManager.default.contentsOfDirectory(atPath: path).first { $0.hasPrefix("data-") }
    }

    /// - Returns: the generation of the files.
    private func verify(_ folder: Folder, _ path: String, _ digest: String, _ note: Comment) throws -> String {
        let database = try open(path)
        #expect(try database.contentDigest() == digest, note)
        #expect(try database.check().map(\.description) == [], note)
        try database["new"].put(["n": 1])
        try database.close()
        let names = try folder.entries("db")
        let generation = try #require(names.first { $0.hasPrefix("data-") }, note)
        let blobs = try #require(names.first { $0.hasPrefix("blobs-") }, note)
        let expected = [blobs, generation, "gate", "holders", "lock", "manifest-copy.json", "manifest.json", "writer"]
        #expect(names == expected.sorted(), note)
        #expect(try folder.entries("db/\(generation)") == ["data.mdb", "lock.mdb"], note)
        #expect(try folder.entries("db/holders").isEmpty, note)
        return generation
    }

    // MARK: - strace

    private func run(_ db: String, _ options: [String]) throws -> Program.Outcome {
        let strace = URL(filePath: try #require(Strace.path))
        let command = [try Program.required().path, "compact", db]
        return try Child(
            program: strace,
            ["-f", "-o", db + ".trace"] + options + command,
            input: [],
            environment: [:]
        ).wait()
    }

    /// The calls of an untouched run, from where it opens the database.
    private func record(_ folder: Folder, _ original: String) throws -> [Call] {
        let db = folder.path("db")
        try FileManager.default.copyItem(atPath: original, toPath: db)
        defer { try? FileManager.default.removeItem(atPath: db) }
        let outcome = try run(db, ["-e", "trace=" + Self.names])
        try #require(outcome.status == 0, "\(outcome.errors)")
        var counts: [String: [String: Int]] = [:]
        var calls: [Call] = []
        var known: Set<Call> = []
        var hasBegun = false
        for line in String(decoding: try folder.bytes("db.trace"), as: UTF8.self).split(separator: "\n") {
            // A short number of a process is followed by several spaces.
            guard let space = line.firstIndex(of: " ") else { continue }
            let process = String(line[..<space])
            let text = line[space...].drop { $0 == " " }
            guard let end = text.firstIndex(of: "("), !text.hasPrefix("<") else { continue }
            let name = String(text[..<end])
            if line.contains(db) { hasBegun = true }
            let ordinal = (counts[process]?[name] ?? 0) + 1
            counts[process, default: [:]][name] = ordinal
            let call = Call(name: name, ordinal: ordinal)
            if hasBegun, known.insert(call).inserted { calls.append(call) }
        }
        return calls
    }
}

private enum Strace {
    static let path = ["/usr/bin/strace", "/usr/local/bin/strace"]
        .first { FileManager.default.isExecutableFile(atPath: $0) }
}
