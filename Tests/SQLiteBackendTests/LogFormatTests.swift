internal import Foundation
internal import StorageConformance
internal import StorageProtocol
internal import Testing

@testable internal import SetteeSQLite

/// Changes to the file's header by commits in the log count as if they were in the file.
@Suite struct LogFormatTests {
    /// A store whose log holds what `sql` committed, as a process leaves it that ends without closing.
    private func store(_ sql: String..., keepingIndex: Bool = false) throws -> TestStore {
        let source = try TestStore.filled(3)
        let raw = try Connection(source.path, flags: 2, library: .linked())
        defer { raw.close() }
        try raw.execute("PRAGMA wal_autocheckpoint = 0")
        for sql in sql { try raw.execute(sql) }
        let store = try TestStore()
        for suffix in keepingIndex ? ["", "-wal", "-shm"] : ["", "-wal"] {
            try FileManager.default.copyItem(atPath: source.path + suffix, toPath: store.path + suffix)
        }
        try #require((store.size("-wal") ?? 0) > 0)
        try #require(try store.fileBytes[60..<64] == [0, 0, 0, 1], "the file itself says nothing of it")
        return store
    }

    /// Names, sizes, contents and times of change.
    private func digest(_ store: TestStore) throws -> [String: String] {
        var entries: [String: String] = [:]
        for name in try FileManager.default.contentsOfDirectory(atPath: store.directory) + ["."] {
            let path = store.directory + "/" + name
            let facts = try FileManager.default.attributesOfItem(atPath: path)
            let content = name == "." ? Data() : try Data(contentsOf: URL(fileURLWithPath: path))
            let changed = (facts[.modificationDate] as? Date)?.timeIntervalSince1970 ?? 0
            entries[name] = "\(facts[.size]!) \(changed) \(content.base64EncodedString())"
        }
        return entries
    }

    private func expectRefusal(_ wanted: StorageError.Code, _ store: TestStore) throws {
        let before = try digest(store)
        for options in [StorageOptions(), StorageOptions(readOnly: true), StorageOptions(toleratesDamage: true)] {
            let factory = SQLiteEngineFactory()
            #expect(code { try factory.authorize(directory: store.directory, options: options) } == wanted)
            #expect(code { _ = try factory.open(directory: store.directory, options: options) } == wanted)
        }
        #expect(try digest(store) == before, "something was changed")
    }

    @Test(arguments: [true, false])
    func aNewerVersionInTheLogIsRefused(keepingIndex: Bool) throws {
        try expectRefusal(.unsupportedFormat, store("PRAGMA user_version = 9", keepingIndex: keepingIndex))
        // With many frames before and after it.
        let big = try store(
            "INSERT INTO info(key, value) VALUES('a', zeroblob(300000))",
            "PRAGMA user_version = 2",
            "INSERT INTO info(key, value) VALUES('b', zeroblob(300000))",
            keepingIndex: keepingIndex
        )
        try expectRefusal(.unsupportedFormat, big)
    }

    @Test func anotherOwnerInTheLogIsRefused() throws {
        try expectRefusal(.corrupt, store("PRAGMA application_id = 7"))
        try expectRefusal(.corrupt, store("PRAGMA user_version = 0"))
    }

    /// What was not committed, or not completely, or has been changed back, does not count.
    @Test func whatDoesNotCountIsNoReason() throws {
        let back = try store("PRAGMA user_version = 9", "PRAGMA user_version = 1")
        let cut = try store("PRAGMA user_version = 9")
        let log = try Data(contentsOf: URL(fileURLWithPath: cut.path + "-wal"))
        try log.dropLast(1).write(to: URL(fileURLWithPath: cut.path + "-wal"))
        let damaged = try store("PRAGMA user_version = 9")
        var bytes = log
        bytes[bytes.count - 10] ^= 1
        try bytes.write(to: URL(fileURLWithPath: damaged.path + "-wal"))
        for store in [back, cut, damaged] {
            try SQLiteEngineFactory().authorize(directory: store.directory, options: StorageOptions())
            let engine = try store.open()
            #expect(try engine.read { (transaction) throws(StorageError) in try transaction.ids() }.count == 3)
            engine.close()
        }
    }

    /// Whatever bytes a log has, they do not crash the process.
    @Test func anyBytesAreRead() throws {
        let store = try store("PRAGMA user_version = 9")
        let path = store.path + "-wal"
        let log = try [UInt8](Data(contentsOf: URL(fileURLWithPath: path)))
        let seed = UInt64.random(in: 0...UInt64.max)
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<200 {
            var bytes = log
            for _ in 0..<Int.random(in: 1...8, using: &generator) {
                let place = Int.random(in: 0..<min(bytes.count, 140), using: &generator)
                bytes[place] = .random(in: 0...255, using: &generator)
            }
            bytes.removeLast(Int.random(in: 0..<bytes.count, using: &generator))
            try Data(bytes).write(to: URL(fileURLWithPath: path))
            let found = code {
                try SQLiteEngineFactory().authorize(directory: store.directory, options: StorageOptions())
            }
            #expect(found == nil || found == .unsupportedFormat || found == .corrupt, "seed \(seed)")
        }
    }
}
