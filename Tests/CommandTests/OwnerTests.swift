import Foundation
import SetteeProgramSupport
import SetteeSystemLibrary
import Testing

/// Root converted a user's database, whose new files were root's: the user could not open it any more.
@Suite(
    "What root makes in a database folder belongs to the folder's owner",
    .enabled(if: geteuid() == 0, "only root can give files away")
)
struct OwnerTests {
    /// Neither is root's, and they differ.
    private static let (user, group): (uid_t, gid_t) = (65534, 12345)

    private let folder: Folder
    private let file: String
    private let other: String

    init() throws {
        folder = try Folder()
        file = try folder.keyFile()
        other = try folder.keyFile("other", TestKey.other)
    }

    private func run(_ arguments: [String], under user: [String] = []) throws -> Program.Outcome {
        let program = try Program.required()
        guard let first = user.first else { return try Child(arguments, input: [], environment: [:]).wait() }
        return try Child(
            program: URL(filePath: first),
            user.dropFirst() + [program.path] + arguments,
            input: [],
            environment: [:]
        ).wait()
    }

    /// A database of the user's, with an attachment, without what is made again when it is missing.
    private func make(_ type: String, key: [String] = []) throws -> String {
        let db = folder.path("db")
        let content = try folder.file("content", String(repeating: "x", count: 100_000))
        let new = key.isEmpty ? [] : ["--new-key-file", file]
        try run(["create", db, "--storage-type", type] + new).expectSuccess()
        for id in ["a", "b"] { try run(["put", db, id, "{}"] + key).expectSuccess() }
        try run(["attach", db, "a", "name", content] + key).expectSuccess()
        for name in ["gate", "lock", "writer", "holders", "data-000001/lock.mdb"] {
            try? FileManager.default.removeItem(atPath: db + "/" + name)
        }
        giveAway(db)
        return db
    }

    private func giveAway(_ db: String) {
        for entry in [db] + (FileManager.default.subpaths(atPath: db) ?? []).map({ db + "/" + $0 }) {
            #expect(lchown(entry, OwnerTests.user, OwnerTests.group) == 0)
        }
    }

    private func expectOwned(
        _ db: String,
        _ note: Comment,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        for entry in [db] + (try FileManager.default.subpathsOfDirectory(atPath: db).map { db + "/" + $0 }) {
            var facts = stat()
            try #require(lstat(entry, &facts) == 0)
            #expect(
                facts.st_uid == OwnerTests.user && facts.st_gid == OwnerTests.group,
                "\(note): \(entry)",
                sourceLocation: sourceLocation
            )
        }
    }

    @Test(
        "Each command on a plain database",
        arguments: PlainTypes.all,
        [
            ["put", "DB", "new", "{}"], ["attach", "DB", "b", "name", "CONTENT"], ["rm", "DB", "a"],
            ["purge", "DB", "a"], ["ls", "DB"], ["check", "DB"], ["info", "DB"], ["compact", "DB"],
            ["migrate", "DB", "--to", "lmdb"], ["migrate", "DB", "--to", "sqlite"],
            ["migrate", "DB", "--to", "sqlcipher", "--new-key-file", "KEY"], ["import", "DB", "JSON"],
        ]
    )
    func plain(type: String, command: [String]) throws {
        let db = try make(type)
        let content = try folder.file("new", String(repeating: "y", count: 100_000))
        let json = try folder.file("json", #"{"_id":"i","n":1}"#)
        let words = ["DB": db, "CONTENT": content, "KEY": file, "JSON": json]
        try run(command.map { words[$0] ?? $0 }).expectSuccess()
        try expectOwned(db, "\(type): \(command)")
    }

    @Test("A plain database that is encrypted")
    func rekey() throws {
        let db = try make("sqlite")
        try run(["rekey", db, "--new-key-file", file]).expectSuccess()
        try expectOwned(db, "rekey")
    }

    @Test(
        "Each command on an encrypted database",
        arguments: [
            ["put", "new", "{}"], ["compact"], ["migrate", "--to", "lmdb", "--decrypt"], ["rekey", "--decrypt"],
            ["rekey", "--rotate", "--new-key-file", "OTHER"], ["rekey", "--new-key-file", "OTHER"],
        ]
    )
    func encrypted(command: [String]) throws {
        let db = try make("sqlcipher", key: ["--key-file", file])
        let words = command.map { $0 == "OTHER" ? other : $0 }
        try run([words[0], db] + words.dropFirst() + ["--key-file", file]).expectSuccess()
        try expectOwned(db, "\(command)")
    }

    @Test("What is there while the database is open", arguments: ["sqlite", "lmdb"])
    func open(type: String) throws {
        let db = try make(type)
        let command = try Conversation(["import", db, "-", "--report-batches"])
        try command.send(#"{"_id":"n"}"# + "\n")
        let observer = try Child(["changes", db, "--follow"], input: [], environment: [:])
        try observer.waitForOutput()
        try expectOwned(db, "\(type), open")
        observer.kill()
        #expect(try command.finish() == 0)
        try expectOwned(db, "\(type), closed")
    }

    @Test("What a kill leaves in the middle of a conversion", arguments: [("sqlite", "lmdb"), ("lmdb", "sqlite")])
    func killed(source: String, target: String) throws {
        let original = try make(source)
        let moved = folder.path("original")
        try FileManager.default.moveItem(atPath: original, toPath: moved)
        let command = try TracedCommand(folder: folder) { db in
            // The copy that is worked on is root's.
            giveAway(db)
            return ["migrate", db, "--to", target]
        }
        try command.killAtEachCall(of: moved, every: 40) { db, note in try expectOwned(db, note) }
    }

    @Test("The owner goes on with what root has converted", .enabled(if: canDropRights, "no setpriv"))
    func goesOn() throws {
        let db = try make("sqlite")
        try #require(chmod(folder.path, 0o755) == 0)
        let owner = ["/usr/bin/setpriv", "--reuid=\(OwnerTests.user)", "--regid=\(OwnerTests.group)", "--clear-groups"]
        try run(["put", db, "o", "{}"], under: owner).expectSuccess()
        for type in PlainTypes.all.reversed() {
            try run(["migrate", db, "--to", type]).expectSuccess()
            try run(["put", db, "o-" + type, "{}"], under: owner).expectSuccess()
            try run(["check", db], under: owner).expectSuccess()
        }
    }

    private static let canDropRights = FileManager.default.isExecutableFile(atPath: "/usr/bin/setpriv")

    @Test("Root that may not give files away is warned", .enabled(if: canDropRights, "no setpriv"))
    func withoutTheRight() throws {
        let db = try make("sqlite")
        let rights = "-chown,-setuid"
        let bound = ["/usr/bin/setpriv", "--bounding-set=\(rights)", "--inh-caps=\(rights)"]
        let outcome = try run(["put", db, "n", "{}", "--log", "Storage=warning"], under: bound).expectSuccess()
        #expect(outcome.errors.contains("belongs to user \(OwnerTests.user)"), "\(outcome.errors)")
        giveAway(db)
        let free = try run(["put", db, "m", "{}", "--log", "Storage=warning"]).expectSuccess()
        #expect(free.errors == "")
    }

    @Test("Files of others that are linked to names of ours stay theirs")
    func links() throws {
        let db = try make("lmdb")
        let theirs = try folder.file("theirs", "")
        for name in ["data-000001/lock.mdb", "writer", "holders"] {
            try #require(symlink(theirs, db + "/" + name) == 0)
            _ = try run(["put", db, "n", "{}"])
            try FileManager.default.removeItem(atPath: db + "/" + name)
            try #require(link(theirs, db + "/" + name) == 0)
            _ = try run(["put", db, "n", "{}"])
            try FileManager.default.removeItem(atPath: db + "/" + name)
        }
        var facts = stat()
        try #require(stat(theirs, &facts) == 0)
        #expect(facts.st_uid == 0 && facts.st_gid == 0)
    }

    @Test("A copy belongs to who makes it")
    func copy() throws {
        let db = try make("sqlite")
        try run(["copy", db, folder.path("copy")]).expectSuccess()
        var facts = stat()
        for name in ["copy", "copy/manifest.json", "copy/data-000001/db.sqlite3"] {
            try #require(stat(folder.path(name), &facts) == 0)
            #expect(facts.st_uid == 0, "\(name)")
        }
        try expectOwned(db, "the source")
    }
}
