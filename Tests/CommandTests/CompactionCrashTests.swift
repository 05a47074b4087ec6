import Foundation
import Settee
import SetteeProgramSupport
import Testing

/// `settee compact` is killed at each of its system calls that touch files. What is left is the old or the new
/// database, intact, and after the next open nothing else. LMDB's files are replaced by a copy; RocksDB rewrites its
/// own.
@Suite(
    "Kills at the system calls of a compaction",
    .serialized,
    .enabled(if: TracedCall.strace != nil, "strace is not installed: `apt-get install strace`")
)
struct CompactionCrashTests {
    @Test(arguments: ["lmdb"] + PlainTypes.rocksDB) func aKillLeavesTheOldOrTheNew(_ type: String) throws {
        let folder = try Folder()
        let original = try folder.database("original", type: type)
        let digest = try fill(original)
        let before = try #require(try generation(original))
        let command = try TracedCommand(folder: folder) { ["compact", $0] }
        var outcomes: Set<String> = []
        let isCopied = type == "lmdb"
        try command.killAtEachCall(of: original, every: isCopied ? 7 : 28) { db, note in
            outcomes.insert(try verify(folder, db, digest, isCopied ? ["data.mdb", "lock.mdb"] : ["rocksdb"], note))
        }
        // Both outcomes occurred.
        #expect(outcomes.count == (isCopied ? 2 : 1) && outcomes.contains(before), "\(outcomes)")
    }

    /// Makes the files of the database worth compacting.
    ///
    /// - Returns: the digest of its content.
    private func fill(_ path: String) throws -> String {
        let database = try open(path)
        try database.inTransaction {
            for number in 0..<600 {
                try database["d\(number)"].put(["text": .string(String(repeating: "x", count: number))])
            }
        }
        try database.inTransaction {
            for number in 0..<600 where number % 3 > 0 { try database["d\(number)"].purge() }
        }
        try database["attached"].setAttachment(named: "a.txt", content: Array("content".utf8))
        // So that a compaction has nothing to do but to rewrite the files.
        try database.compact()
        try database["later"].put(["text": "later"])
        let digest = try database.contentDigest()
        try database.close()
        return digest
    }

    private func open(_ path: String) throws -> Database {
        try Database.open(
            at: URL(filePath: path),
            options: DatabaseOptions(create: false, durability: .normal, compactionThreshold: nil)
        )
    }

    private func generation(_ path: String) throws -> String? {
        try FileManager.default.contentsOfDirectory(atPath: path).first { $0.hasPrefix("data-") }
    }

    /// - Returns: the generation of the files.
    private func verify(
        _ folder: Folder,
        _ path: String,
        _ digest: String,
        _ files: [String],
        _ note: Comment
    ) throws -> String {
        let database = try open(path)
        #expect(try database.contentDigest() == digest, note)
        #expect(try database.check().map(\.description) == [], note)
        try database["new"].put(["n": 1])
        try database.close()
        let names = try folder.entries("db")
        let generation = try #require(names.first { $0.hasPrefix("data-") }, note)
        let blobs = try #require(names.first { $0.hasPrefix("blobs-") }, note)
        let expected = [blobs, generation, "gate", "holders", "lock", "manifest-copy.json", "manifest.json", "writer"]
        #expect(names == expected.sorted(), note)
        #expect(try folder.entries("db/\(generation)") == files, note)
        #expect(try folder.entries("db/holders").isEmpty, note)
        return generation
    }
}
