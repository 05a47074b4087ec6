import Foundation
import Settee
import SetteeProgramSupport
import Testing

/// A flipped byte in a log lost up to 1,000 acknowledged documents: `export` printed no error and exited with 0, and
/// `check` found no problem.
@Suite("A damaged log is reported until it is dealt with")
struct DamagedLogTests {
    private let folder: Folder
    private let key: [String]

    init() throws {
        folder = try Folder()
        key = ["--key-file", try folder.keyFile()]
    }

    @Test(arguments: ["sqlite", "sqlcipher"])
    func everyCommandTells(_ type: String) throws {
        let key = type == "sqlcipher" ? key : []
        try damage(type, key)
        let db = folder.path("db")
        func run(_ arguments: String...) throws -> Program.Outcome {
            try Child([arguments[0], db] + arguments.dropFirst() + key, input: []).wait()
        }
        // Twice: SQLite removes the log at the first opening.
        for _ in 0..<2 {
            let export = try run("export", "--json")
            #expect(export.status == 1 && export.output.isEmpty)
            #expect(export.errors.contains("591") && export.errors.contains("--despite-damage"), "\(export.errors)")
            #expect(try run("export", "--digest").status == 1)
            #expect(try run("export", "-o", folder.path("out")).status == 1)
            #expect(try !folder.entries().contains("out"))
            let check = try run("check", "--json")
            #expect(check.status == 1 && check.text.contains("db.sqlite3-wal-damaged"), "\(check.text)")
            #expect(try run("ls").errors.contains("-wal-damaged"), "it is logged")
        }
        #expect(try run("export", "--despite-damage").expectSuccess().lines.count < 50)
        // No command makes a database from it that would hide the loss.
        for arguments in [
            ["copy", folder.path("copy")], ["compact"], ["migrate", "--to", "lmdb", "--decrypt"],
            ["replicate", folder.path("replica"), "--create-target"],
        ] {
            let outcome = try Child([arguments[0], db] + arguments.dropFirst() + key, input: []).wait()
            #expect(outcome.status == 1 && outcome.errors.contains("591"), "\(arguments): \(outcome.errors)")
            #expect(outcome.errors.contains("delete that file"), "what to do is said")
        }
        #expect(try folder.entries().filter { $0 != "key" }.sorted() == ["db"])
        // Documents are still written and read.
        #expect(try Child(["put", db, "new"] + key, input: Array("{}".utf8)).wait().status == 0)
        #expect(try run("check").status == 1)
        try FileManager.default.removeItem(atPath: folder.path("db/data-000001/db.sqlite3-wal-damaged"))
        #expect(try run("check").status == 0)
        #expect(try run("export").status == 0)
        #expect(try run("compact").status == 0)
    }

    @Test("Reading alone leaves the log as it is")
    func readOnly() throws {
        try damage("sqlite", [])
        let before = try folder.bytes("db/data-000001/db.sqlite3-wal")
        for _ in 0..<2 {
            #expect(try Program.run("export", folder.path("db"), "--read-only").status == 1)
            #expect(try Program.run("check", folder.path("db"), "--read-only").status == 1)
            #expect(try Program.run("export", folder.path("db"), "--read-only", "--despite-damage").status == 0)
        }
        #expect(try folder.bytes("db/data-000001/db.sqlite3-wal") == before)
    }

    /// Makes a database whose log, with fifty commits, has a changed byte in the middle.
    private func damage(_ type: String, _ key: [String]) throws {
        let bytes = TestKey.bytes
        let database = try Database.open(
            at: folder.url("open"),
            options: DatabaseOptions(
                storageType: try StorageType(type),
                key: key.isEmpty ? nil : try StorageKey(bytes: bytes.span.bytes)
            )
        )
        for number in 0..<50 { try database["d\(number)"].put(["n": JSONValue(number)]) }
        // As a kill leaves it.
        try FileManager.default.copyItem(atPath: folder.path("open"), toPath: folder.path("db"))
        try database.close()
        try FileManager.default.removeItem(atPath: folder.path("open"))
        try? FileManager.default.removeItem(atPath: folder.path("db/data-000001/db.sqlite3-shm"))
        var log = try folder.bytes("db/data-000001/db.sqlite3-wal")
        log[log.count / 2] ^= 4
        try Data(log).write(to: folder.url("db/data-000001/db.sqlite3-wal"))
    }
}
