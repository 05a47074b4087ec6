import Foundation
import Settee
import SetteeProgramSupport
import Testing

/// One system call that touches files fails in the middle of a command. Whatever the command makes of it, the next one
/// finds everything that was acknowledged before, `check` finds no problem, and new documents can be written.
@Suite(
    "System calls that fail",
    .serialized,
    .enabled(if: TracedCall.strace != nil, "strace is not installed: `apt-get install strace`")
)
struct FailedCallTests {
    private static let isStress = ProcessInfo.processInfo.environment["SETTEE_STRESS"] != nil

    private static let commands = ["put", "view update", "import", "compact"]
    private static let types = ["lmdb", "sqlite"] + PlainTypes.rocksDB
    private static let cases = types.flatMap { type in commands.map { (type, $0) } }

    /// All calls in the long form. Otherwise a few of each command, and all that write to the files of a store.
    @Test(arguments: cases)
    func whatWasAcknowledgedIsThere(_ type: String, _ command: String) throws {
        let folder = try Folder()
        let original = try database(folder, type)
        let untouched = try open(original)
        let before = try documents(untouched)
        try untouched.close()
        let calls = try record(folder, original, command)
        try #require(calls.count > 60)
        var failures = 0
        for (place, call) in sample(calls, of: command, type).enumerated() {
            let full = place % 4 < 2 ? "error=ENOSPC" : "error=EDQUOT"
            let errors = Self.isStress ? ["error=EIO", full] : [place % 2 == 0 ? "error=EIO" : full]
            // SQLite writes the rest after a partial write. It would lack five bytes that strace only claims were
            // written.
            let isCut = type == "lmdb" && call.name == "pwrite64" && Self.isStress
            for failure in errors + (isCut ? ["retval=5"] : []) {
                let db = folder.path("db")
                try FileManager.default.copyItem(atPath: original, toPath: db)
                let outcome = try run(folder, db, command, call.injecting(failure))
                let note: Comment = "\(type), \(command), \(call), \(failure): \(outcome.status), \(outcome.errors)"
                #expect(0...1 ~= outcome.status || outcome.status == 127, note)
                if outcome.status != 0 { failures += 1 }
                try verify(db, before, outcome, command, note)
                try FileManager.default.removeItem(atPath: db)
            }
        }
        #expect(failures > 0)
    }

    /// A signal that arrives in the middle of a call is not a disk failure. Interrupted syncs may fail the command.
    @Test(arguments: types, ["put", "compact"])
    func interruptedCallsAreRepeated(_ type: String, _ command: String) throws {
        let names: Set = [
            "openat", "flock", "read", "write", "pread64", "pwrite64", "ftruncate", "fsync", "fdatasync",
        ]
        let folder = try Folder()
        let original = try database(folder, type)
        let untouched = try open(original)
        let before = try documents(untouched)
        try untouched.close()
        let calls = try record(folder, original, command).filter { names.contains($0.name) }
        let syncs = type == "rocksdb" ? [] : calls.filter { $0.name.hasSuffix("sync") }
        for call in Self.isStress ? calls : spread(type == "rocksdb" ? 8 : 16, of: calls) + syncs {
            let db = folder.path("db")
            try FileManager.default.copyItem(atPath: original, toPath: db)
            let outcome = try run(folder, db, command, call.injecting("error=EINTR"))
            let note: Comment = "\(type), \(command), \(call): \(outcome.status), \(outcome.errors)"
            #expect(outcome.status == 0 || outcome.status == 1 && call.name.hasSuffix("sync"), note)
            try verify(db, before, outcome, command, note)
            try FileManager.default.removeItem(atPath: db)
        }
    }

    /// A statement whose read fails ends with SQLITE_CORRUPT, or with SQLITE_NOTADB if it was the first page's. The
    /// user was told to restore a sound file from a copy, or that the key is wrong.
    @Test(arguments: ["sqlite", "sqlcipher"], ["ls", "export", "compact", "copy"])
    func aReadThatFailsIsNoDamage(_ type: String, _ command: String) throws {
        let folder = try Folder()
        let key = type == "sqlcipher" ? ["--key-file", try folder.keyFile()] : []
        let original = folder.path("original")
        let new = key.isEmpty ? [] : ["--new-key-file", key[1]]
        let creation = ["create", original, "--storage-type", type] + new
        try Child(creation, input: [], environment: [:]).wait().expectSuccess()
        let documents = (0..<300).map { #"{"_id":"d\#($0)","text":"\#(String(repeating: "x", count: 700))"}"# }
        let input = Array(documents.joined(separator: "\n").utf8)
        try Child(["import", original, "-"] + key, input: input, environment: [:]).wait().expectSuccess()
        let copy = command == "copy" ? [folder.path("copy")] : []
        let traced = try TracedCommand(folder: folder) { db in
            try? FileManager.default.removeItem(atPath: folder.path("copy"))
            return [command, db] + copy + key + (command == "export" ? [] : ["--json"])
        }
        // Where the files are opened shows where the reading of the database begins.
        try traced.failEachCall(of: original, named: "openat,pread64", by: ["EIO"]) { calls in
            let reads = calls.filter { $0.call.name == "pread64" }
            return Self.isStress ? reads : (0..<12).map { reads[reads.count - 1 - $0 * (reads.count - 1) / 12] }
        } verify: { _, outcome, note in
            guard outcome.status != 0 else { return }
            let isOfDisk = ["disk", "Check the medium"].contains { outcome.errors.contains($0) }
            #expect(isOfDisk && !outcome.errors.contains("damage"), note)
        }
    }

    /// A write to a meta page of LMDB fails, and then so does a call that leaves the mark `suspect` for the next open.
    @Test func theMarkOfAFailureFailsToo() throws {
        let folder = try Folder()
        let original = try database(folder, "lmdb")
        let untouched = try open(original)
        let before = try documents(untouched)
        try untouched.close()
        let db = folder.path("db")
        var marks = 0
        for write in try record(folder, original, "put").filter({ $0.name == "pwrite64" }).suffix(3) {
            let failed = write.injecting("error=EIO")
            try FileManager.default.copyItem(atPath: original, toPath: db)
            _ = try run(folder, db, "put", ["-y", "-e", "trace=" + TracedCall.names] + failed.dropFirst(2))
            try FileManager.default.removeItem(atPath: db)
            let log = String(decoding: try folder.bytes("trace"), as: UTF8.self)
            let calls = TracedCall.parse(log, from: db, naming: "/suspect")
            for call in calls where call.name != write.name {
                for failure in ["error=EIO", "error=EDQUOT"] {
                    try FileManager.default.copyItem(atPath: original, toPath: db)
                    let options = ["-e", "trace=\(write.name),\(call.name)"]
                    let injections = failed.dropFirst(2) + call.injecting(failure).dropFirst(2)
                    let outcome = try run(folder, db, "put", options + injections)
                    let note: Comment = "\(write), \(call), \(failure): \(outcome.status), \(outcome.errors)"
                    #expect(outcome.status == 1, note)
                    try verify(db, before, outcome, "put", note)
                    try FileManager.default.removeItem(atPath: db)
                    marks += 1
                }
            }
        }
        #expect(marks > 0)
    }

    /// A database with enough free pages for what follows, so that no file grows.
    private func database(_ folder: Folder, _ type: String) throws -> String {
        let documents = (0..<120).map {
            "{\"_id\":\"d\($0)\",\"n\":\($0),\"text\":\"\(String(repeating: "x", count: $0 * 20))\"}"
        }
        let db = try folder.database("original", type: type, documents: documents.joined(separator: "\n"))
        try Program.succeed("view", "define", db, "numbers", "--key", "/n")
        try Program.succeed("view", "update", db)
        try Data(repeating: 7, count: 40_000).write(to: folder.url("content"))
        try Program.succeed("attach", db, "d0", "a.bin", folder.path("content"))
        let database = try open(db)
        for number in 90..<120 { try database["d\(number)"].purge() }
        for number in 1..<6 { try database["d\(number)"].update { $0["again"] = true } }
        try database.close()
        return db
    }

    private func open(_ path: String) throws -> Database {
        try Database.open(
            at: URL(filePath: path),
            options: DatabaseOptions(create: false, compactionThreshold: nil)
        )
    }

    private static let ids = (0..<90).map { "d\($0)" }

    private func documents(_ database: Database) throws -> [[UInt8]?] { try Self.ids.map { try database[$0].json() } }

    private func verify(
        _ db: String,
        _ before: [[UInt8]?],
        _ outcome: Program.Outcome,
        _ command: String,
        _ note: Comment
    ) throws {
        let database = try open(db)
        #expect(try documents(database) == before, note)
        let new = Int(try database.documentCount) - before.count
        switch command {
        case "put": #expect(new == 1 || new == 0 && outcome.status != 0, note)
        case "import": #expect(new == 50 || new == 0 && outcome.status != 0, note)
        default: #expect(new == 0, note)
        }
        #expect(try database["d0"].revision()?.attachment(named: "a.bin")?.content().count == 40_000, note)
        #expect(try database.check().map(\.description) == [], note)
        try database["later"].put(["n": 1])
        try database.close()
    }

    // MARK: - Calls

    private func run(
        _ folder: Folder,
        _ db: String,
        _ command: String,
        _ options: [String]
    ) throws -> Program.Outcome {
        var arguments = command.split(separator: " ").map(String.init) + [db]
        var input = ""
        switch command {
        case "put": arguments += ["new", "{\"n\":1}"]
        case "import":
            arguments.append("-")
            input = (0..<50).map { "{\"_id\":\"new\($0)\",\"n\":\($0)}" }.joined(separator: "\n")
        default: break
        }
        return try TracedCall.run(Program.required(), arguments, options, log: folder.path("trace"), input: input)
    }

    private func record(_ folder: Folder, _ original: String, _ command: String) throws -> [TracedCall] {
        let db = folder.path("db")
        try FileManager.default.copyItem(atPath: original, toPath: db)
        defer { try? FileManager.default.removeItem(atPath: db) }
        let outcome = try run(folder, db, command, ["-e", "trace=" + TracedCall.names])
        try #require(outcome.status == 0, "\(outcome.errors)")
        return TracedCall.parse(String(decoding: try folder.bytes("trace"), as: UTF8.self), from: db)
    }

    private func sample(_ calls: [TracedCall], of command: String, _ type: String) -> [TracedCall] {
        if Self.isStress { return calls }
        // RocksDB appends with `write`.
        if type == "rocksdb" { return spread(3, of: calls.filter { $0.name == "write" }) + spread(4, of: calls) }
        let writes = calls.filter { $0.name == "pwrite64" }
        let others = calls.filter { $0.name != "pwrite64" }
        let cuts = calls.filter { $0.name == "ftruncate" }
        return (command == "put" ? writes.suffix(12) : spread(4, of: writes)) + spread(8, of: others) + cuts.prefix(4)
    }

    /// The first, the last, and some in between.
    private func spread(_ count: Int, of calls: [TracedCall]) -> [TracedCall] {
        (0..<count).map { calls[$0 * (calls.count - 1) / (count - 1)] }
    }
}
