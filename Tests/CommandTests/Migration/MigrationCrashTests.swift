import Foundation
import Settee
import SetteeProgramSupport
import Testing

/// `settee migrate` is ended at each of its system calls that touch files. The old database or the new one is there then, whole. A second one takes
/// the first to its end; and once the database has moved on, what was left goes.
@Suite(
    "Kills at the system calls of a migration",
    .serialized,
    .enabled(if: TracedCommand.strace != nil, "strace is not installed: `apt-get install strace`")
)
struct MigrationCrashTests {
    @Test(arguments: [("sqlite", "lmdb"), ("lmdb", "sqlite"), ("sqlite", "sqlcipher"), ("sqlcipher", "lmdb")])
    func aKillLeavesTheOldOrTheNew(source: String, target: String) throws {
        let folder = try Folder()
        let original = folder.path("original")
        let file = try folder.keyFile()
        let key = try key()
        let digest = try fill(original, source, key)
        let command = TracedCommand(folder: folder) { db in
            var arguments = ["migrate", db, "--to", target]
            if source == "sqlcipher" { arguments += ["--key-file", file, "--decrypt"] }
            if target == "sqlcipher" { arguments += ["--new-key-file", file] }
            return arguments
        }
        var found: Set<String> = []
        var resumed = 0
        var kills = 0
        try command.killAtEachCall(of: original, every: 9) { db, note in
            let reader = try open(db, key, readOnly: true)
            let type = reader.storageType.name
            try reader.close()
            found.insert(type)
            kills += 1
            if type == source, kills.isMultiple(of: 2) {
                let again = try Child(command.arguments(db) + ["--json"], input: [], environment: [:]).wait()
                let done = try again.expectSuccess().object()
                if done["resumed"]?.boolValue == true { resumed += 1 }
                let database = try open(db, key)
                #expect(database.storageType.name == target, note)
                #expect(try database.contentDigest() == digest, note)
                #expect(try database.check().map(\.description) == [], note)
                try database.close()
                return try expectNothingLeft(folder, note)
            }
            let database = try open(db, key)
            #expect(database.storageType.name == type, note)
            #expect(try database.contentDigest() == digest, note)
            #expect(try database.check().map(\.description) == [], note)
            try database["new"].put(["n": 1])
            try database.close()
            // What was left is of an earlier state by now.
            try open(db, key).close()
            try expectNothingLeft(folder, note)
        }
        #expect(found == [source, target], "both have been there")
        #expect(resumed > 0, "a second one went on")
    }

    private func expectNothingLeft(_ folder: Folder, _ note: Comment) throws {
        let left = try folder.entries("db").filter { name in
            ["data-", "blobs-", ".settee"].contains { name.hasPrefix($0) }
        }
        #expect(left.count == 2, "\(note): \(left)")
    }

    private func key() throws -> StorageKey {
        let bytes = TestKey.bytes
        return try StorageKey(bytes: bytes.span.bytes)
    }

    /// Opens what is there, encrypted or not.
    private func open(_ path: String, _ key: StorageKey, readOnly: Bool = false) throws -> Database {
        let wishes = [nil, key].map { DatabaseOptions(create: false, readOnly: readOnly, durability: .normal, key: $0) }
        let plain = try? Database.open(at: URL(filePath: path), options: wishes[0], engines: BuiltInEngines.all)
        return try plain ?? Database.open(at: URL(filePath: path), options: wishes[1], engines: BuiltInEngines.all)
    }

    /// - Returns: the digest of the content.
    private func fill(_ path: String, _ type: String, _ key: StorageKey) throws -> String {
        var options = DatabaseOptions(storageType: try StorageType(type), durability: .normal)
        if type == "sqlcipher" { options.key = key }
        let database = try Database.open(at: URL(filePath: path), options: options, engines: BuiltInEngines.all)
        try database.inTransaction {
            for number in 0..<60 { try database["d\(number)"].put(["n": JSONValue(number)]) }
            for number in 0..<10 { try database["d\(number)"].delete() }
        }
        for number in 20..<23 {
            let content = [UInt8](repeating: UInt8(number), count: (number - 20) * 70_000)
            try database["d\(number)"].setAttachment(named: "file", content: content)
        }
        let view = database.view("by-n")
        try view.define(ViewDefinition(keys: [JSONPointer("/n")], reduce: "_count"))
        try view.updateIndex()
        let digest = try database.contentDigest()
        try database.close()
        return digest
    }
}
