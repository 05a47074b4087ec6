import Foundation
import Settee
import SetteeProgramSupport
import Testing

@Suite("settee migrate, and rekey between plain and encrypted")
struct MigrateCommandTests {
    private let folder: Folder

    init() throws { folder = try Folder() }

    private func make(_ type: String) throws -> String {
        let db = folder.path("db")
        try Program.run("create", db, "--storage-type", type).expectSuccess()
        let lines = (0..<50).map { #"{"_id":"d\#($0)","n":\#($0)}"# }.joined(separator: "\n")
        try Child(["import", db, "-"], input: Array(lines.utf8), environment: [:]).wait().expectSuccess()
        return db
    }

    private func generations() throws -> [String] {
        try folder.entries("db").filter { $0.hasPrefix("data-") || $0.hasPrefix("blobs-") }.sorted()
    }

    private func export(_ db: String, _ key: [String] = []) throws -> String {
        try Child(["export", db, "--all"] + key, input: [], environment: [:]).wait().expectSuccess().text
    }

    @Test("a database is migrated to another engine and back", arguments: [("sqlite", "lmdb"), ("lmdb", "sqlite")])
    func there(source: String, target: String) throws {
        let db = try make(source)
        let before = try export(db)
        let plan = try Program.run("migrate", db, "--to", target, "--dry-run", "--json").expectSuccess().object()
        #expect(plan["needed"]?.boolValue == true && plan["documents"]?.intValue == 50)
        #expect((plan["bytesNeeded"]?.intValue ?? 0) > 0 && plan["to"]?.stringValue == target)
        #expect(try Program.run("info", db, "--json").object()["storageType"]?.stringValue == source)
        for (from, to) in [(source, target), (target, source)] {
            let done = try Program.run("migrate", db, "--to", to, "--json").expectSuccess().object()
            #expect(done["from"]?.stringValue == from && done["to"]?.stringValue == to)
            #expect(done["documents"]?.intValue == 50)
            #expect((done["bytes"]?.intValue ?? 0) > 0 && done["seconds"]?.doubleValue != nil)
            #expect(try export(db) == before)
            #expect(try Program.run("check", db).status == 0)
        }
        let again = try Program.run("migrate", db, "--to", source, "--dry-run", "--json").object()
        #expect(again["needed"]?.boolValue == false)
    }

    @Test("encrypted and plain again", arguments: ["rekey", "migrate"])
    func encrypted(how: String) throws {
        let db = try make("sqlite")
        let before = try export(db)
        let key = try folder.keyFile()
        let there = how == "rekey" ? ["rekey", db] : ["migrate", db, "--to", "sqlcipher"]
        try Child(there + ["--new-key-file", key], input: [], environment: [:]).wait().expectSuccess()
        #expect(try Program.run("ls", db, "--json").error().status == 401)
        #expect(try export(db, ["--key-file", key]) == before)
        let back = how == "rekey" ? ["rekey", db] : ["migrate", db, "--to", "sqlite"]
        if how == "migrate" {
            let refused = try Child(back + ["--key-file", key, "--json"], input: [], environment: [:]).wait()
            #expect(try refused.error().status == 400)
            #expect(refused.errors.contains("decrypt"))
        }
        let wrong = try folder.keyFile("wrong", TestKey.other)
        let without = try Child(back + ["--decrypt", "--key-file", wrong, "--json"], input: [], environment: [:]).wait()
        #expect(try without.error().status == 401)
        let done = try Child(back + ["--decrypt", "--key-file", key, "--json"], input: [], environment: [:]).wait()
        #expect(try done.expectSuccess().object()["documents"]?.intValue == 50)
        #expect(try export(db) == before)
        #expect(try Program.run("rekey", db, "--decrypt", "--json").error().status == 495)
    }

    @Test("What cannot be migrated is reported")
    func refused() throws {
        let db = try make("sqlite")
        let key = try folder.keyFile()
        let before = (try export(db), try generations())
        let calls: [([String], Int64)] = [
            (["migrate", db, "--to", "tape"], 497), (["migrate", db, "--to", "memory"], 497),
            (["migrate", db, "--to", "no such"], 497), (["migrate", db, "--to", "sqlcipher"], 400),
            (["migrate", db, "--to", "lmdb", "--new-key-file", key], 501),
            (["migrate", db, "--to", "sqlite", "--compression", "lz4"], 501),
            (["migrate", folder.path("none"), "--to", "lmdb"], 404),
            (["migrate", db, "--to", "lmdb", "--key-file", key], 495),
        ]
        for (arguments, status) in calls {
            let outcome = try Child(arguments + ["--json"], input: [], environment: [:]).wait()
            #expect(outcome.status == 1, "\(arguments)")
            #expect(try outcome.error().status == status, "\(arguments): \(outcome.errors)")
        }
        for arguments in [
            ["migrate", db], ["migrate", db, "--to", "lmdb", "--decrypt", "--new-key-file", key],
            ["rekey", db, "--decrypt", "--rotate"], ["rekey", db, "--decrypt", "--new-key-file", key],
        ] {
            #expect(try Child(arguments, input: [], environment: [:]).wait().status == 2, "\(arguments)")
        }
        #expect(try export(db) == before.0)
        #expect(try generations() == before.1)
    }
}
