import Foundation
import Settee
import SetteeProgramSupport
import Testing

/// What the commands do with keys: which databases they make and open, and what they print.
@Suite("Keys of databases")
struct KeyCommandTests {
    let folder: Folder

    init() throws { folder = try Folder() }

    /// All commands that open an existing database; the new one is at `new`.
    private static func commands(_ db: String, new: String, file: String) -> [[String]] {
        [
            ["put", db, "b", #"{"x":"marker"}"#], ["get", db, "a", "--revs"], ["ls", db, "--include-docs"],
            ["changes", db], ["export", db], ["export", db, "--all"], ["info", db], ["check", db],
            ["get", db, "a", "--read-only"], ["attach", db, "a", "file", file], ["cat-attachment", db, "a", "file"],
            ["detach", db, "a", "file"], ["view", "define", db, "byX", "--key", "/x"], ["view", "query", db, "byX"],
            ["view", "ls", db], ["view", "update", db], ["view", "rm", db, "byX"], ["expire", db, "b", "--in", "3600"],
            ["import", db, file], ["copy", db, new], ["compact", db], ["rm", db, "b"], ["purge", db, "b"],
        ]
    }

    @Test("Every command opens an encrypted database with its key, and never prints it", arguments: [false, true])
    func everyCommand(inFile: Bool) throws {
        let db = folder.path("db")
        let key = inFile ? ["--key-file", try folder.keyFile()] : []
        let environment = inFile ? [:] : ["SETTEE_KEY": TestKey.raw]
        let file = try folder.file("content", #"{"_id":"c","x":"marker"}"#)
        let made = [["create", db], ["put", db, "a", #"{"x":"marker"}"#]]
        for arguments in made + KeyCommandTests.commands(db, new: folder.path("new"), file: file) {
            let all = arguments + key + ["--json", "--log", "all=trace"]
            let outcome = try Child(all, input: [], environment: environment).wait()
            #expect(outcome.status == 0, "\(arguments): \(outcome.errors)")
            for text in [outcome.text, outcome.errors] {
                #expect(!text.lowercased().contains(TestKey.digits), "\(arguments)")
                #expect(!text.contains(Data(TestKey.bytes).base64EncodedString()), "\(arguments)")
            }
        }
        let copied = try Child(["get", folder.path("new"), "a"] + key, input: [], environment: environment).wait()
        #expect(copied.text.contains("marker"))
        for name in ["db", "new"] {
            for entry in try FileManager.default.subpathsOfDirectory(atPath: folder.path(name)) {
                let content = FileManager.default.contents(atPath: folder.path(name) + "/" + entry) ?? Data()
                for marker in [Data("marker".utf8), Data(TestKey.bytes), Data(TestKey.digits.utf8)] {
                    #expect(content.range(of: marker) == nil, "\(entry)")
                }
            }
        }
    }

    @Test("A missing or wrong key is a 401, and nothing is changed")
    func refused() throws {
        let db = try folder.encrypted()
        let file = try folder.file("content", #"{"_id":"c"}"#)
        let before = try folder.state("db")
        let wrong = try folder.keyFile("wrong", TestKey.other)
        let new = try folder.keyFile("new-key", TestKey.other)
        let rekey = [["rekey", db, "--new-key-file", new], ["rekey", db, "--rotate", "--new-key-file", new]]
        for arguments in KeyCommandTests.commands(db, new: folder.path("new"), file: file) + rekey {
            let missing = try Child(arguments + ["--json"], input: [], environment: [:]).wait()
            #expect(missing.status == 1, "\(arguments)")
            #expect(missing.output.isEmpty, "\(arguments)")
            #expect(try missing.error().status == 401, "\(arguments)")
            let message = try #require(try missing.error().message)
            #expect(message.contains("--key-file") && message.contains("SETTEE_KEY"), "\(message)")
            let refused = try Child(arguments + ["--json", "--key-file", wrong], input: [], environment: [:]).wait()
            #expect(refused.status == 1, "\(arguments)")
            #expect(try refused.error().status == 401, "\(arguments)")
        }
        #expect(try folder.state("db") == before)
        #expect(try folder.entries() == ["content", "db", "new-key", "wrong"])
    }

    @Test("A wrong passphrase is a 401 too")
    func wrongPassphrase() throws {
        let db = try folder.encrypted()
        let outcome = try Program.run("ls", db, "--json", environment: ["SETTEE_KEY": TestKey.passphrase])
        #expect(try outcome.error().status == 401)
        #expect(!outcome.errors.contains(TestKey.passphrase))
    }

    @Test(
        "With a key a new database is encrypted, of type sqlcipher",
        arguments: [[], ["--storage-type", "sqlite"], ["--storage-type", "sqlcipher"]]
    )
    func create(_ type: [String]) throws {
        let key = try folder.keyFile()
        for (name, option) in [("a", "--key-file"), ("b", "--new-key-file")] {
            let arguments = ["create", folder.path(name), option, key, "--json"] + type
            let outcome = try Child(arguments, input: [], environment: [:]).wait()
            #expect(try outcome.object()["storageType"]?.stringValue == "sqlcipher")
        }
        let environments = [("c", ["SETTEE_KEY": TestKey.raw]), ("d", ["SETTEE_NEW_KEY": TestKey.raw])]
        for (name, environment) in environments {
            let arguments = ["import", folder.path(name), "-"] + type
            let outcome = try Child(arguments, input: Array("{}".utf8), environment: environment).wait()
            #expect(outcome.status == 0, "\(outcome.errors)")
        }
        for name in ["a", "b", "c", "d"] {
            #expect(try Program.run("ls", folder.path(name), "--key-file", key).status == 0)
            #expect(try Program.run("ls", folder.path(name), "--json").error().status == 401)
        }
        // `--new-key-file` also gives the key of an existing database.
        #expect(
            try Program.run("import", folder.path("a"), "-", "--new-key-file", key, input: "{}").status == 0
        )
    }

    @Test("sqlcipher without a key is a 400 that names the options, if nobody can be asked; other types fail (501)")
    func createWithout() throws {
        for arguments in [["create", folder.path("a")], ["import", folder.path("a"), "-"]] {
            let chosen = [
                try Child(arguments + ["--storage-type", "sqlcipher", "--json"], input: [], environment: [:]).wait(),
                try Child(arguments + ["--json"], input: [], environment: ["SETTEE_STORAGE_TYPE": "sqlcipher"]).wait(),
            ]
            for outcome in chosen {
                #expect(outcome.status == 1)
                #expect(try outcome.error().status == 400)
                let message = try #require(try outcome.error().message)
                #expect(message.contains("--key-file") && message.contains("SETTEE_KEY"))
            }
            let lmdb = arguments + ["--storage-type", "lmdb", "--json"]
            let refused = try Child(lmdb, input: [], environment: ["SETTEE_KEY": TestKey.raw]).wait()
            #expect(try refused.error().status == 501)
        }
        #expect(try folder.entries() == [])
    }

    @Test("A key for a plain database is refused")
    func plain() throws {
        let key = try folder.keyFile()
        let sqlite = try folder.database(documents: "{}")
        let lmdb = try folder.database("lmdb", type: "lmdb")
        for (db, status) in [(sqlite, 495), (lmdb, 501)] as [(String, Int64)] {
            #expect(try Program.run("ls", db, "--key-file", key, "--json").error().status == status)
            #expect(try Program.run("import", db, "-", "--new-key-file", key, "--json").error().status == status)
            #expect(
                try Program.run("rekey", db, "--key-file", key, "--new-key-file", key, "--json").error().status
                    == status
            )
        }
        // To encrypt the database, a key is needed all the same.
        #expect(try Program.run("rekey", sqlite, "--json").error().status == 400)
        #expect(try Program.run("rekey", lmdb, "--new-key-file", key, "--json").error().status == 501)
    }

    @Test("rekey: the new key opens the database, the old one no longer does", arguments: [[], ["--rotate"]])
    func rekey(how: [String]) throws {
        let db = try folder.encrypted()
        let old = try folder.keyFile()
        let new = try folder.keyFile("new", TestKey.other)
        #expect(try Program.run("rekey", db, "--key-file", old, "--json").error().status == 400)
        #expect(try Program.run("ls", db, "--key-file", old).status == 0)
        let arguments = ["rekey", db, "--key-file", old, "--new-key-file", new, "--json"] + how
        let outcome = try Child(arguments, input: [], environment: [:]).wait()
        #expect(try outcome.object()["rekeyed"]?.boolValue == true)
        #expect(try outcome.object()["rotated"]?.boolValue == !how.isEmpty)
        #expect(try Program.run("ls", db, "--key-file", old, "--json").error().status == 401)
        #expect(try Program.run("get", db, "a", "--key-file", new).text.contains("marker"))
        // And back, with environment variables.
        let environment = ["SETTEE_KEY": TestKey.other, "SETTEE_NEW_KEY": TestKey.raw]
        #expect(try Program.run("rekey", db, environment: environment).status == 0)
        #expect(try Program.run("ls", db, "--key-file", new, "--json").error().status == 401)
        #expect(try Program.run("check", db, "--key-file", old).text == "ok\n")
    }

    @Test("info reports how the database is encrypted")
    func info() throws {
        let db = try folder.encrypted()
        let key = try folder.keyFile()
        let figures = try Program.run("info", db, "--json", "--key-file", key).object()
        #expect(figures["encrypted"]?.boolValue == true)
        #expect(figures["storageType"]?.stringValue == "sqlcipher")
        #expect(figures["details"]?["cipher"]?.stringValue == "aes-256-cbc")
        #expect(figures["keySlots"] == [["kind": "raw"]])
        let text = try Program.run("info", db, "--key-file", key).text
        #expect(text.contains("encrypted") && text.contains("aes-256-cbc") && text.contains("a raw key"))
        #expect(!text.contains(TestKey.digits))
    }

    @Test("Giving two keys for the same purpose is a usage error")
    func two() throws {
        let db = try folder.encrypted()
        let before = try folder.state("db")
        let key = try folder.keyFile()
        let new = folder.path("new")
        let calls: [([String], [String: String])] = [
            (["ls", db, "--key-file", key], ["SETTEE_KEY": TestKey.raw]),
            (["ls", db, "--key-file", key], ["SETTEE_KEY": ""]),
            (["rekey", db, "--key-file", key, "--new-key-file", key], ["SETTEE_NEW_KEY": TestKey.raw]),
            (["create", new, "--key-file", key, "--new-key-file", key], [:]),
            (["create", new], ["SETTEE_NEW_KEY": TestKey.raw, "SETTEE_KEY": TestKey.raw]),
            (["import", new, "-", "--key-file", key], ["SETTEE_NEW_KEY": TestKey.raw]),
        ]
        for (arguments, environment) in calls {
            let outcome = try Child(arguments + ["--json"], input: [], environment: environment).wait()
            #expect(outcome.status == 2, "\(arguments)")
            #expect(try outcome.error().code == "usage", "\(arguments)")
        }
        #expect(try folder.state("db") == before)
        #expect(!FileManager.default.fileExists(atPath: new))
    }

    @Test(
        "The key is removed from the running program's environment, which its children inherit",
        .enabled(if: FileManager.default.fileExists(atPath: "/proc/self/environ"), "only Linux shows it")
    )
    func environment() throws {
        let db = try folder.encrypted()
        let environment = ["SETTEE_KEY": TestKey.raw, "SETTEE_NEW_KEY": TestKey.raw]
        let child = try Child(["changes", db, "--follow", "--json"], input: [], environment: environment)
        try child.waitForOutput()
        let seen = try Data(contentsOf: URL(filePath: "/proc/\(child.identifier)/environ"))
        child.kill()
        _ = try child.wait()
        #expect(seen.range(of: Data("SWIFT_BACKTRACE".utf8)) != nil)
        #expect(seen.range(of: Data(TestKey.digits.utf8)) == nil)
    }
}
