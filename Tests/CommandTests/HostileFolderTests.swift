import Foundation
import SetteeProgramSupport
import Testing

/// Database folders are downloaded. With a link as `writer`, a `get` overwrote the link's target with zeros; with a
/// link as `holders`, files elsewhere were deleted; and a pipe as `db.sqlite3-journal` blocked everyone who opened the
/// database.
@Suite("Links and pipes in a database folder")
struct HostileFolderTests {
    private static let shared = [
        "manifest.json", "manifest-copy.json", "gate", "lock", "writer", "holders", "data-000001", "blobs-000001",
    ]
    private static let entries =
        ["sqlite", "lmdb"].flatMap { type in
            (shared + (type == "sqlite" ? sqliteFiles : lmdbFiles)).map { (type, $0) }
        } + PlainTypes.rocksDB.flatMap { type in rocksDBFiles.map { (type, $0) } }
    private static let sqliteFiles = ["db.sqlite3", "db.sqlite3-wal", "db.sqlite3-shm", "db.sqlite3-journal"].map {
        "data-000001/" + $0
    }
    private static let lmdbFiles = ["data.mdb", "lock.mdb", "suspect", "data.new"].map { "data-000001/" + $0 }

    /// A `*` stands for the number that there is.
    private static let rocksDBFiles =
        ["data-000001/rocksdb"]
        + ["CURRENT", "LOCK", "LOG", "IDENTITY", "SETTEE-FILES", "MANIFEST-*", "*.log", "999999.dbtmp", "*.sst"].map {
            "data-000001/rocksdb/" + $0
        }

    /// How an entry is replaced: a shell command that is given its name, and `outside`, where its own content has been
    /// moved.
    private static let replacements = [
        ("a link to what was there", "ln -s \"$outside\" \"$entry\""),
        ("a link to another file", "ln -s \"$PWD/victim\" \"$entry\""),
        ("a link to a folder", "ln -s \"$PWD/private\" \"$entry\""),
        ("a link to nothing", "ln -s \"$PWD/made\" \"$entry\""),
        ("a link to itself", "ln -s \"$entry\" \"$entry\""),
        ("a pipe", "mkfifo \"$entry\""),
        ("a second name of another file", "ln victim \"$entry\""),
        ("a folder", "mkdir \"$entry\""),
    ]
    private static let folders = ["holders", "data-000001", "blobs-000001"]

    private static let commands = [
        "get db a", "put db b '{}'", "get db a --read-only", "compact db", "copy db copy",
    ]

    /// All commands in the long form; otherwise two of them, others for each kind of entry and replacement.
    private func commands(_ entry: String, _ number: Int) -> [String] {
        if ProcessInfo.processInfo.environment["SETTEE_STRESS"] != nil { return Self.commands }
        let first = number + entry.utf8.count
        return [first, first + 2].map { Self.commands[$0 % Self.commands.count] }
    }

    @Test("Nothing is opened through them, and the error names them", arguments: entries)
    func refused(_ type: String, _ entry: String) throws {
        let original = try Folder()
        _ = try original.database(type: type, documents: #"{"_id":"a"}"#)
        let entry = try numbered(entry, in: original)
        let name = String(entry.split(separator: "/").last ?? "")
        for (number, (kind, replace)) in Self.replacements.enumerated() {
            if kind == "a folder", Self.folders.contains(entry) { continue }
            let folder = try Folder()
            let db = folder.path("db")
            try FileManager.default.copyItem(atPath: original.path("db"), toPath: db)
            try makeVictims(folder)
            let script = """
                entry='db/\(entry)'; outside="$PWD/outside"
                if [ -e "$entry" ]; then mv "$entry" outside; else touch outside; fi
                \(replace)
                """
            #expect(try Program.shell(script, in: folder).status == 0, "\(entry): \(kind)")
            let outside = try outsiders(folder)
            let inside = try content(folder)
            for command in commands(entry, number) {
                // A file that is only read, and never written, may have a second name.
                let outcome = try Program.shell("timeout 20 \"$settee\" \(command) --json", in: folder)
                let what = "\(entry) is \(kind), \(command): \(outcome.status) \(outcome.errors)"
                let isOnlyRead = entry.hasPrefix("manifest") || entry.hasSuffix(".sst")
                if kind.hasPrefix("a second name"), isOnlyRead || command.hasSuffix("--read-only") {
                    #expect([0, 1].contains(outcome.status), "\(what)")
                } else {
                    #expect(outcome.status == 1, "\(what)")
                    let error = try outcome.error()
                    #expect(error.status == 591, "\(what)")
                    #expect(error.message?.contains(name) == true, "\(what)")
                }
                if outcome.status == 0 { try? FileManager.default.removeItem(at: folder.url("copy")) }
                #expect(try outsiders(folder) == outside, "\(what)")
                if outcome.status != 0 { #expect(try content(folder) == inside, "\(what)") }
            }
            #expect(FileManager.default.fileExists(atPath: db))
        }
    }

    /// With the number of a file of RocksDB that is there.
    private func numbered(_ entry: String, in folder: Folder) throws -> String {
        guard let star = entry.firstIndex(of: "*") else { return entry }
        let (start, end) = (entry[..<star], entry[entry.index(after: star)...])
        let paths = try folder.entries("db/data-000001/rocksdb").map { "data-000001/rocksdb/" + $0 }
        return try #require(paths.first { $0.hasPrefix(start) && $0.hasSuffix(end) }, "\(paths)")
    }

    private static let blobEntries = ["group", "blob", "trash", "trashed"]

    @Test("Attachments' files and folders too", arguments: blobEntries)
    func blobs(_ entry: String) throws {
        for (kind, replace) in Self.replacements where !kind.hasPrefix("a second name") && kind != "a folder" {
            let folder = try Folder()
            let db = try folder.database()
            _ = try folder.file("content", "content")
            try Program.succeed("attach", db, "a", "file", folder.path("content"))
            if entry.hasPrefix("trash") { try Program.succeed("detach", db, "a", "file") }
            try makeVictims(folder)
            // In the trash its name has a time older than any snapshot, so that the next compaction wants to delete it.
            let script = """
                cd db/blobs-000001; group=$(ls -d ??); blob=$(ls -d ??/*); trash=trash; mkdir -p trash
                trashed=trash/00000000000000000000-$(basename $blob)
                case \(entry) in trash*) cp $blob $trashed;; esac
                entry="db/blobs-000001/$\(entry)"; cd ../..; outside="$PWD/outside"; mv "$entry" outside; \(replace)
                """
            #expect(try Program.shell(script, in: folder).status == 0, "\(entry): \(kind)")
            let before = try outsiders(folder)
            for command in [
                "cat-attachment db a file", "attach db b file content", "compact db", "check db", "get db a",
            ] {
                let outcome = try Program.shell("timeout 20 \"$settee\" \(command) --json", in: folder)
                let what = "\(entry) is \(kind), \(command): \(outcome.status) \(outcome.errors)"
                #expect(outcome.status == 0 || outcome.status == 1, "\(what)")
                #expect(outcome.text != "secret" && outcome.text != "content", "\(what)")
                #expect(try outsiders(folder) == before, "\(what)")
            }
        }
    }

    /// A rollback journal may name another file, which SQLite reads, and deletes when it is done.
    @Test("A journal that names another file is refused")
    func journalOfSeveralFiles() throws {
        let folder = try Folder()
        let db = try folder.database(documents: #"{"_id":"a"}"#)
        _ = try folder.file("victim", "")
        let name = Array(folder.path("victim").utf8)
        var journal = Data([0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7])
        journal.append(contentsOf: [UInt8](repeating: 0, count: 512 - journal.count))
        journal.replaceSubrange(20..<24, with: [0, 0, 2, 0])
        journal.replaceSubrange(24..<28, with: [0, 0, 16, 0])
        journal.append(contentsOf: [0, 0, 0, 1])
        journal.append(contentsOf: name)
        func word(_ value: UInt32) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - 8 * $0)) } }
        journal.append(contentsOf: word(UInt32(name.count)) + word(name.reduce(0) { $0 &+ UInt32($1) }))
        journal.append(contentsOf: [0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7])
        try journal.write(to: folder.url("db/data-000001/db.sqlite3-journal"))
        for command in [["get", db, "a"], ["get", db, "a", "--read-only"], ["put", db, "b", "{}"]] {
            let outcome = try Child(command + ["--json"], input: []).wait()
            #expect(try outcome.error().status == 591)
            #expect(try outcome.error().message?.contains("journal") == true)
            #expect(try folder.entries() == ["db", "victim"])
        }
    }

    private func makeVictims(_ folder: Folder) throws {
        _ = try folder.file("victim", "secret")
        try FileManager.default.createDirectory(at: folder.url("private"), withIntermediateDirectories: false)
        _ = try folder.file("private/0123456789abcdef0123456789abcdef", "secret")
        _ = try folder.file("private/notes", "secret")
    }

    /// Names, sizes and checksums of everything outside the database.
    private func outsiders(_ folder: Folder) throws -> String {
        try Program.shell(
            "find . -path ./db -prune -o -print | sort; find . -path ./db -prune -o -type f -print | sort | xargs "
                + "cksum",
            in: folder
        ).text
    }

    /// The names in the database.
    private func content(_ folder: Folder) throws -> String {
        try Program.shell("find db | sort", in: folder).text
    }
}
