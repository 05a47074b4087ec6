import Foundation
import Settee
import SetteeProgramSupport
import StorageConformance
import Testing

/// `settee import` of old databases.
@Suite struct ImportCommandTests {
    let folder: Folder
    let source: Folder

    init() throws {
        folder = try Folder()
        source = try Folder()
    }

    private func old(_ release: OldRelease = .net140, key: [UInt8]? = nil, damaged: Bool = false) throws -> OldFiles {
        let old = try OldFiles(source, release, key: key)
        let content = Array("content".utf8)
        let entry = try old.content(content, encryptedWith: key)
        let isInTable = release.hasAttachmentTable
        try old.document(1, "d")
        try old.revision(1, of: 1, "1-x", current: false, nil)
        try old.revision(2, of: 1, "2-x", parent: 1, isInTable ? "{}" : #"{"_attachments":{"a":\#(entry)}}"#)
        if isInTable { try old.attachment("a", of: 2, content) }
        if damaged {
            try old.document(2, "_bad")
            try old.revision(3, of: 2, "1-x")
        }
        try old.local("_local/l", "1-local", "{}")
        try old.sql("INSERT INTO views (name) VALUES ('v')")
        if key != nil { try Data("AES".utf8).write(to: URL(filePath: old.attachments + "/_encryption")) }
        try old.finish()
        return old
    }

    @Test(
        "The figures, and what the other commands report about the result",
        arguments: [
            (OldRelease.net140, "sqlite"), (.android104, "lmdb"), (.iOS104, "sqlite"), (.iOS110, "lmdb"),
        ]
    )
    func figures(_ release: OldRelease, _ type: String) throws {
        let old = try old(release)
        let before = try states(of: source.path)
        let db = folder.path("new.settee")
        let outcome = try Program.run("import", db, old.path, "--storage-type", type, "--json")
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(
            outcome.lines == [
                #"{"documents":1,"failed":0,"revisions":2,"attachments":1,"localDocuments":1,"problems":[],"views":["v"]}"#
            ]
        )
        #expect(try states(of: source.path) == before)
        #expect(try Program.run("get", db, "d", "--json").text.contains(#""_rev":"2-x""#))
        #expect(try Program.run("cat-attachment", db, "d", "a").text == "content")
        #expect(try Program.run("get", db, "_local/l").status == 0)
        #expect(try Program.run("check", db).status == 0)
        #expect(try Program.run("info", db, "--json").text.contains(#""storageType":"\#(type)""#))
        // A second import finds that the path is taken.
        let second = try Program.run("import", db, old.path, "--json")
        #expect(second.status == 1)
        #expect(second.errors.contains(#""status":412"#))
    }

    @Test("Output for people")
    func text() throws {
        let outcome = try Program.run("import", folder.path("new"), try old(damaged: true).path)
        #expect(outcome.status == 1)
        #expect(outcome.lines.count == 3)
        #expect(outcome.text.contains("document '_bad': "))
        #expect(outcome.text.contains("define them anew: v"))
        #expect(
            outcome.text.contains(
                "Imported 1 document with 2 revisions, 1 attachment, 1 local document. 1 failed, 1 problem."
            )
        )
        #expect(try Program.run("get", folder.path("new"), "d").status == 0)
    }

    @Test("What fails leaves nothing, and says why")
    func failures() throws {
        let old = try old()
        let db = folder.path("new")
        for (arguments, status, code) in [
            (["import", db, source.path("missing.cblite2")], 1, 404),
            (["import", folder.path("no/where"), old.path], 1, 498),
            (["import", db, old.path, "--storage-type", "nothing"], 1, 497),
            (["import", db, old.path, "--storage-type", "sqlcipher"], 1, 400),
        ] as [([String], Int32, Int)] {
            let outcome = try Child(arguments + ["--json"], input: []).wait()
            #expect(outcome.status == status, "\(arguments)")
            #expect(outcome.errors.contains(#""status":\#(code)"#), "\(arguments): \(outcome.errors)")
        }
        for arguments in [["--report-batches"], ["--decrypt", "--new-key-file", "x"], ["--nothing"]] {
            #expect(try Child(["import", db, old.path] + arguments, input: []).wait().status == 2, "\(arguments)")
        }
        #expect(try Program.run("import", db, try source.file("text", "{}"), "--decrypt").status == 2)
        #expect(try folder.entries() == [])
    }

    @Test("The old key and the new key are given separately")
    func keys() throws {
        let raw = EncryptionTests.derived[0]
        let old = try old(key: raw)
        let db = folder.path("new")
        func run(_ arguments: String..., environment: [String: String] = [:]) throws -> Program.Outcome {
            try Child(["import", db, old.path, "--json"] + arguments, input: [], environment: environment).wait()
        }
        let passphrase = ["SETTEE_KEY": EncryptionTests.passphrase]
        let hex = ["SETTEE_KEY": "hex:" + raw.map { String(format: "%02x", $0) }.joined()]
        #expect(try run().errors.contains(#""status":401"#))
        #expect(try run(environment: passphrase).errors.contains(#""status":400"#))
        #expect(try run("--decrypt", environment: ["SETTEE_KEY": "wrong"]).errors.contains(#""status":401"#))
        #expect(try folder.entries() == [])

        for given in [passphrase, hex] {
            let outcome = try run("--decrypt", environment: given)
            #expect(outcome.status == 0, "\(outcome.errors)")
            #expect(try Program.run("cat-attachment", db, "d", "a").text == "content")
            try FileManager.default.removeItem(atPath: db)
        }
        let both = passphrase.merging(["SETTEE_NEW_KEY": "another"]) { $1 }
        let outcome = try run(environment: both)
        #expect(outcome.status == 0, "\(outcome.errors)")
        let read = try Program.run("cat-attachment", db, "d", "a", environment: ["SETTEE_KEY": "another"])
        #expect(read.text == "content")
        #expect(try Program.run("get", db, "d", environment: passphrase).status == 1)
        let keyFile = try source.file("key", EncryptionTests.passphrase)
        try FileManager.default.removeItem(atPath: db)
        let fromFile = try run("--key-file", keyFile, "--decrypt")
        #expect(fromFile.status == 0, "\(fromFile.errors)")
    }

    /// How much an import has written so far.
    private func bytesBeside() -> Int {
        let paths = FileManager.default.subpaths(atPath: folder.path) ?? []
        return paths.reduce(0) { sum, path in
            let attributes = try? FileManager.default.attributesOfItem(atPath: folder.path(path))
            return sum + ((attributes?[.size] as? Int) ?? 0)
        }
    }

    @Test("A kill leaves nothing at the path; what it leaves beside it is swept later")
    func killed() throws {
        let old = try OldFiles(source, .net140)
        try old.sql("BEGIN")
        for number in 1...20_000 {
            try old.document(number, "document \(number)")
            try old.revision(Int64(number), of: number, "1-x", #"{"n":\#(number)}"#)
        }
        try old.sql("COMMIT")
        try old.finish()
        let before = try states(of: source.path)
        let seed = UInt64.random(in: 0...UInt64.max)
        var random = SeededGenerator(seed: seed)
        let db = folder.path("new")
        for round in 0..<8 {
            let child = try Child(["import", db, old.path], input: [])
            // Somewhere between the first byte of the copy and the last one of the new database.
            let enough = Int.random(in: 0...5_000_000, using: &random)
            while child.isRunning, bytesBeside() < enough {}
            child.kill()
            let outcome = try child.wait()
            let hint = "seed \(seed), round \(round)"
            if FileManager.default.fileExists(atPath: db) {
                #expect(try Program.run("check", db).status == 0, "\(hint)")
                #expect(try Program.run("ls", db).lines.count == 20_000, "\(hint)")
                try FileManager.default.removeItem(atPath: db)
            } else {
                #expect(outcome.status != 0, "\(hint)")
            }
            #expect(try states(of: source.path) == before, "\(hint)")
        }
        #expect(try Program.run("import", db, old.path).status == 0)
        #expect(try folder.entries() == ["new"])
    }
}
