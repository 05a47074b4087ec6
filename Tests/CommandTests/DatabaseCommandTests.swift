import Foundation
import Settee
import SetteeProgramSupport
import Testing

@Suite("create, info, check and compact")
struct DatabaseCommandTests {
    let folder: Folder

    init() throws { folder = try Folder() }

    @Test("create makes a database at any path, and refuses what exists (412)")
    func create() throws {
        let db = folder.path("Any Näme")
        let made = try Program.succeed("create", db, "--json").object()
        #expect(made["storageType"]?.stringValue == "sqlite")
        let again = try Program.run("create", db, "--json")
        #expect(again.status == 1)
        #expect(try again.error().status == 412)
        let file = try folder.file("file", "x")
        #expect(try Program.run("create", file, "--json").error().status == 412)
        #expect(try folder.bytes("file") == Array("x".utf8))
    }

    @Test(
        "No other command makes a database",
        arguments: ["put", "get", "rm", "purge", "ls", "changes", "info", "check"]
    )
    func missing(_ command: String) throws {
        let id = ["put", "get", "rm", "purge"].contains(command) ? ["id"] : []
        let outcome = try Child([command, folder.path("none"), "--json"] + id, input: Array("{}".utf8)).wait()
        #expect(outcome.status == 1)
        #expect(try outcome.error().status == 404)
        #expect(try folder.entries() == [])
    }

    @Test("What is not a database is refused with a status and left as it is")
    func foreignFolder() throws {
        try FileManager.default.createDirectory(at: folder.url("other"), withIntermediateDirectories: false)
        try Data("mine".utf8).write(to: folder.url("other").appending(path: "file"))
        let file = try folder.file("file", "garbage")
        for path in [folder.path("other"), file] {
            for command in ["ls", "check", "compact", "export", "info"] {
                let outcome = try Program.run(command, path, "--json")
                #expect(outcome.status == 1)
                #expect(try outcome.error().status == 591)
            }
        }
        #expect(try folder.entries("other") == ["file"])
    }

    @Test(
        "Engines that this program does not have are refused (497)",
        arguments: ["tape", "memory", "other", "No Type"]
    )
    func storageTypes(_ type: String) throws {
        let outcome = try Program.run("create", folder.path("db"), "--storage-type", type, "--json")
        #expect(outcome.status == 1)
        #expect(try outcome.error().status == 497)
        #expect(try folder.entries() == [])
    }

    @Test("SETTEE_STORAGE_TYPE only applies to new databases")
    func storageTypeOfEnvironment() throws {
        let environment = ["SETTEE_STORAGE_TYPE": "tape"]
        #expect(try Program.run("create", folder.path("a"), "--json", environment: environment).error().status == 497)
        let db = try folder.database()
        #expect(try Program.run("import", db, "-", input: "{}", environment: environment).status == 0)
        #expect(
            try Program.run("import", folder.path("new"), "-", "--json", environment: environment).error().status == 497
        )
    }

    @Test("--compression lz4 is for lmdb; another engine is a 501, a compression other than the database's a 495")
    func compression() throws {
        let refused = try Program.run(
            "create",
            folder.path("a"),
            "--storage-type",
            "sqlite",
            "--compression",
            "lz4",
            "--json"
        )
        #expect(try refused.error().status == 501)
        #expect(try folder.entries() == [])
        try Program.succeed("create", folder.path("b"), "--compression", "none", "--durability", "normal")
        let lines = (0..<600).map {
            #"{"_id":"\#($0)","text":"a text of some length that all the documents share with each other, and \#($0)"}"#
        }
        let text = lines.joined(separator: "\n") + "\n"
        let file = try folder.file("lines", text)
        for compression in ["none", "lz4"] {
            let db = folder.path(compression)
            try Program.succeed("import", db, file, "--storage-type", "lmdb", "--compression", compression)
            #expect(try Program.run("info", db, "--json").text.contains(#""compression":"\#(compression)""#))
            #expect(try Program.run("check", db).status == 0)
        }
        let compressed = folder.path("lz4")
        #expect(try Program.run("import", compressed, file, "--compression", "none", "--json").error().status == 495)
        #expect(try Program.run("info", compressed).text.contains("dictionaries"))
        let exports = try ["none", "lz4"].map { try Program.run("export", folder.path($0)).text }
        #expect(exports[0] == exports[1])
        #expect(exports[0].contains("share with each other, and 399"))
    }

    @Test("info reports the documented figures")
    func info() throws {
        let db = try folder.database(documents: "{}\n{}\n")
        let figures = try Program.succeed("info", db, "--json").object()
        #expect(figures["storageType"]?.stringValue == "sqlite")
        #expect(figures["documentCount"]?.intValue == 2)
        #expect(figures["lastSequence"]?.intValue == 2)
        #expect(figures["encrypted"]?.boolValue == false)
        #expect(try #require(figures["bytesOnDisk"]?.intValue) > 4096)
        #expect(figures["freeBytes"]?.intValue != nil)
        #expect(figures["uuid"]?.stringValue?.isEmpty == false)
        #expect(try Program.succeed("info", db).text.contains("sqlite"))
    }

    @Test("check reports a sound database as ok, and names what is wrong with a damaged one")
    func check() throws {
        let lines = (0..<2000).map { #"{"_id":"d\#($0)","text":"\#(String(repeating: "x", count: 200))"}"# }
        let db = try folder.database(documents: lines.joined(separator: "\n"))
        #expect(try Program.succeed("check", db).text == "ok\n")
        let sound = try Program.succeed("check", db, "--json").object()
        #expect(sound["ok"]?.boolValue == true)
        #expect(sound["problems"]?.arrayValue?.isEmpty == true)

        let data = folder.url("db").appending(path: "data-000001/db.sqlite3")
        var bytes = try Data(contentsOf: data)
        let middle = bytes.count / 2 / 4096 * 4096
        bytes.replaceSubrange(middle..<middle + 4096, with: Data(repeating: 0xA5, count: 4096))
        try bytes.write(to: data)
        let damaged = try Program.run("check", db, "--json")
        #expect(damaged.status == 1)
        if damaged.output.isEmpty {
            #expect(try damaged.error().status == 591)
        } else {
            let report = try damaged.object()
            #expect(report["ok"]?.boolValue == false)
            #expect(try #require(report["problems"]?.arrayValue).isEmpty == false)
        }
    }

    @Test("A truncated or replaced data file is an error with a status, never a trap", arguments: [0, 10, 5000])
    func truncated(_ length: Int) throws {
        let lines = (0..<500).map { #"{"_id":"d\#($0)"}"# }
        let db = try folder.database(documents: lines.joined(separator: "\n"))
        let data = folder.url("db").appending(path: "data-000001/db.sqlite3")
        try Data(repeating: 0x5A, count: length).write(to: data)
        for command in ["ls", "check", "compact", "export"] {
            let outcome = try Program.run(command, db, "--json")
            #expect(outcome.status == 1, "\(command): \(outcome.text)")
        }
    }

    @Test(
        "check lists damage of the manifests and of a store's format, which no command opens, and reports the error",
        arguments: ["sqlite", "lmdb"]
    )
    func unreadable(_ type: String) throws {
        let db = try folder.database(type: type, documents: #"{"_id":"a"}"#)
        func expectListed(_ what: Comment) throws {
            let plain = try Program.run("check", db)
            #expect(plain.status == 1 && plain.text.contains("1 problems"), what)
            let outcome = try Program.run("check", db, "--json")
            #expect(outcome.status == 1, what)
            #expect(try outcome.error().status == 591, what)
            let report = try outcome.object()
            #expect(report["ok"]?.boolValue == false, what)
            #expect(try #require(report["problems"]?.arrayValue).count == 1, what)
        }
        // A byte of each member's value in both copies.
        let manifest = try folder.bytes("db/manifest.json")
        for place in manifest.indices where manifest[place] == UInt8(ascii: ":") {
            for name in ["manifest.json", "manifest-copy.json"] {
                var bytes = manifest
                bytes[place + 1] ^= 1
                try Data(bytes).write(to: folder.url("db/" + name))
            }
            try expectListed("byte \(place + 1) of the manifests")
        }
        for name in ["manifest.json", "manifest-copy.json"] { try Data(manifest).write(to: folder.url("db/" + name)) }
        // The version of SQLite's tables in its header; of the key-value store's in its table `meta`.
        let file = "db/data-000001/" + (type == "sqlite" ? "db.sqlite3" : "data.mdb")
        var bytes = try folder.bytes(file)
        let version = Array("format\u{1}".utf8)
        for place in bytes.indices.dropLast(version.count)
        where type == "sqlite" ? place == 63 : Array(bytes[place..<place + version.count]) == version {
            bytes[place + (type == "sqlite" ? 0 : version.count - 1)] ^= 2
        }
        try Data(bytes).write(to: folder.url(file))
        try expectListed("the format version")
    }

    @Test("compact drops old bodies, reports the sizes, and keeps every document")
    func compact() throws {
        let db = try folder.database()
        var rev = ""
        for turn in 0..<5 {
            let arguments = ["put", db, "a", #"{"n":\#(turn)}"#, "--json"] + (rev.isEmpty ? [] : ["--rev", rev])
            rev = try #require(Child(arguments, input: []).wait().object()["rev"]?.stringValue)
        }
        let before = try Program.succeed("export", db).text
        let result = try Program.succeed("compact", db, "--json").object()
        #expect(result["bodiesRemoved"]?.intValue == 4)
        #expect(result["blobsRemoved"]?.intValue == 0)
        #expect(result["bytesBefore"]?.intValue != nil)
        #expect(result["bytesAfter"]?.intValue != nil)
        #expect(try Program.succeed("export", db).text == before)
        #expect(try Program.succeed("check", db).text == "ok\n")
        #expect(try Program.succeed("compact", db).text.isEmpty == false)
    }

    @Test("A data file that is gone, a folder or a pipe is damage", arguments: ["true", "mkdir", "mkfifo"])
    func lostDataFile(_ replace: String) throws {
        let folder = try Folder()
        let db = try folder.database(documents: #"{"_id":"a"}"#)
        let file = "db/data-000001/db.sqlite3"
        #expect(try Program.shell("rm \(file) && \(replace) \(file)", in: folder).status == 0)
        for arguments in [["get", db, "a"], ["put", db, "b", "{}"], ["import", db, "-"], ["check", db]] {
            let outcome = try Child(arguments + ["--json"], input: []).wait()
            #expect(outcome.status == 1, "\(arguments)")
            #expect(try outcome.error().status == 591, "\(arguments): \(outcome.errors)")
        }
    }
}
