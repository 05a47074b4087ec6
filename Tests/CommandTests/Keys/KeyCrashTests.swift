import Foundation
import Settee
import SetteeProgramSupport
import Testing

/// `settee rekey` is ended at each of its system calls that touch files. The old key or the new one opens a whole database then,
/// and never both.
@Suite(
    "Kills at the system calls of a change of keys",
    .serialized,
    .enabled(if: TracedCommand.strace != nil, "strace is not installed: `apt-get install strace`")
)
struct KeyCrashTests {
    @Test(arguments: [false, true])
    func aKillLeavesOneKey(rotate: Bool) throws {
        let folder = try Folder()
        let original = folder.path("original")
        let keys = [try key(0xA1), try key(0xB2)]
        let files = [
            try folder.keyFile("old", "hex:" + String(repeating: "a1", count: 32)),
            try folder.keyFile("new", "hex:" + String(repeating: "b2", count: 32)),
        ]
        let digest = try fill(original, keys[0])
        let command = TracedCommand(folder: folder) { db in
            ["rekey", db, "--key-file", files[0], "--new-key-file", files[1]] + (rotate ? ["--rotate"] : [])
        }
        var opened: Set<Int> = []
        try command.killAtEachCall(of: original, every: rotate ? 9 : 3) { db, note in
            // Those who only read say first which one it is, and change nothing.
            let fitting = keys.indices.filter { (try? open(db, keys[$0], readOnly: true).close()) != nil }
            opened.formUnion(fitting)
            try #require(!fitting.isEmpty, note)
            let database = try open(db, keys[fitting[0]])
            #expect(try database.contentDigest() == digest, note)
            #expect(try database.check().map(\.description) == [], note)
            try database["new"].put(["n": 1])
            try database.close()
            // Whoever has written has decided.
            for other in keys.indices where other != fitting[0] {
                #expect(throws: StorageError.self, note) { try open(db, keys[other]) }
            }
            // What a rotation could have gone on with before that goes with the next opening.
            try open(db, keys[fitting[0]]).close()
            let names = try folder.entries("db").filter { $0.hasPrefix("data-") || $0.hasPrefix("blobs-") }
            #expect(names.count == 2, note)
        }
        #expect(opened == [0, 1], "both have been there")
    }

    private func key(_ byte: UInt8) throws -> StorageKey {
        let bytes = [UInt8](repeating: byte, count: StorageKey.rawLength)
        return try StorageKey(bytes: bytes.span.bytes)
    }

    private func open(_ path: String, _ key: StorageKey, readOnly: Bool = false) throws -> Database {
        try Database.open(
            at: URL(filePath: path),
            options: DatabaseOptions(create: true, readOnly: readOnly, durability: .normal, key: key),
            engines: BuiltInEngines.all
        )
    }

    /// - Returns: the digest of the content.
    private func fill(_ path: String, _ key: StorageKey) throws -> String {
        let database = try open(path, key)
        try database.inTransaction {
            for number in 0..<100 { try database["d\(number)"].put(["n": JSONValue(number)]) }
        }
        for number in 0..<3 {
            let content = [UInt8](repeating: UInt8(number), count: number * 70_000)
            try database["d\(number)"].setAttachment(named: "file", content: content)
        }
        let digest = try database.contentDigest()
        try database.close()
        return digest
    }
}
