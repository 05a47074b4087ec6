internal import Foundation
internal import StorageConformance
internal import StorageProtocol
internal import Testing

@testable internal import SetteeSQLite

/// A file that is damaged, newer or of another kind gives an error or sound data, and never traps.
@Suite struct DamageTests {
    private static let allowed: Set<StorageError.Code> = [.corrupt, .unsupportedFormat]

    /// Opens the store and reads everything; nil if there was no error.
    private func outcome(_ store: TestStore) -> StorageError.Code? {
        code {
            let engine = try store.open(StorageOptions())
            defer { engine.close() }
            if let problem = try engine.problems().first { throw StorageError(.corrupt, problem) }
            try engine.read { (transaction) throws(StorageError) in try transaction.readEverything() }
            try engine.insert(900_000..<900_003)
        }
    }

    /// A store with something in every table.
    private func full() throws -> [UInt8] {
        let store = try TestStore.filled(120)
        let engine = try store.open()
        try engine.write { (transaction) throws(StorageError) in
            try transaction.insert("other", someBody(3))
            try unsafe transaction.putRevisionBody(someBody(1).span.bytes, at: 1, owner: DocumentID("other"))
            try transaction.setExpiration(5, of: DocumentID("other"))
            try transaction.purge(name(4))
            try unsafe transaction.putLocalDocument(
                DocumentID("_local/a"),
                revision: [49].span.bytes,
                json: [123, 125].span.bytes
            )
            try transaction.setInfo([1, 2], for: "key")
            let digest = [UInt8](repeating: 1, count: 20)
            try transaction.setBlobReference(BlobReference(digest: digest, storageName: "name", length: 1, count: 1))
            try transaction.setIndexState("index", IndexState(version: "1", collationVersion: "1"))
            let row = IndexRow(key: [1], keyJSON: [49], valueJSON: nil)
            try transaction.replaceIndexRows("index", of: DocumentID(name(1)), sequence: 2, rows: [row])
            try transaction.putIndexEntry("index", key: [1], value: [2])
        }
        engine.close()
        return try store.fileBytes
    }

    @Test func truncatedFiles() throws {
        let bytes = try full()
        let store = try TestStore()
        let lengths = Array(0..<120) + stride(from: 120, to: bytes.count, by: 1531)
        for length in lengths {
            try store.write(Array(bytes.prefix(length)))
            let code = try #require(outcome(store), "\(length) bytes of \(bytes.count) read as a whole file")
            #expect([.corrupt, .unsupportedFormat].contains(code), "\(code) at \(length) bytes")
            clean(store)
        }
    }

    @Test func everyByteOfTheHeader() throws {
        let bytes = try full()
        let store = try TestStore()
        for offset in 0..<100 {
            for change: UInt8 in [0x01, 0x80, 0xFF] {
                var damaged = bytes
                damaged[offset] ^= change
                try store.write(damaged)
                if let code = outcome(store) { #expect(Self.allowed.contains(code), "\(code) at byte \(offset)") }
                clean(store)
            }
        }
    }

    @Test func bytesInPages() throws {
        let bytes = try full()
        let store = try TestStore()
        let seed = UInt64.random(in: 0...UInt64.max)
        var random = SeededGenerator(seed: seed)
        let rounds = ProcessInfo.processInfo.environment["SETTEE_STRESS"] == nil ? 150 : 20_000
        var failed = 0
        for round in 0..<rounds {
            var damaged = bytes
            for _ in 0..<Int.random(in: 1...40, using: &random) {
                damaged[Int.random(in: 100..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            try store.write(damaged)
            if let code = outcome(store) {
                failed += 1
                #expect(Self.allowed.contains(code), "\(code), round \(round) of seed \(seed)")
            }
            clean(store)
        }
        #expect(failed > 0, "no damage was noticed, seed \(seed)")
    }

    /// Damage that the check sees is reported, not thrown.
    @Test func theCheckNamesDamagedPages() throws {
        var bytes = try TestStore.filled(400).fileBytes
        let store = try TestStore()
        for page in 5..<12 { for offset in 0..<8 { bytes[page * 4096 + offset] = 0xEE } }
        try store.write(bytes)
        let engine = try store.open(StorageOptions())
        var areas: Set<String> = []
        try engine.verify { areas.insert($0.area) }
        #expect(areas == ["pages"])
        engine.close()
    }

    /// A missing table is reported even if nothing has needed it yet.
    @Test(arguments: ["info", "indexes", "index_entries"])
    func theCheckNamesLostTables(_ table: String) throws {
        let store = try TestStore.filled(1)
        let raw = try Connection(store.path, flags: 2, library: .linked())
        try raw.execute("DROP TABLE \(table)")
        raw.close()
        let engine = try store.open(StorageOptions())
        defer { engine.close() }
        #expect(try engine.problems().contains { $0.contains("'\(table)'") })
    }

    @Test func aNewerVersionIsNamed() throws {
        let store = try TestStore.filled(1)
        var bytes = try store.fileBytes
        bytes[63] = 9
        try store.write(bytes)
        let error = #expect(throws: StorageError.self) { try store.open(StorageOptions()) }
        #expect(error?.code == .unsupportedFormat)
        #expect(error?.status == 591)
        #expect(error?.message.contains("9") == true && error?.message.contains("1") == true)
        #expect(try store.fileBytes == bytes)
    }

    @Test func otherFilesAreLeftAlone() throws {
        let store = try TestStore()
        let garbage = (0..<9000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        for bytes in [[], [0], garbage, Array("SQLite format 3".utf8)] {
            try store.write(bytes)
            #expect(code { _ = try store.open() } == .corrupt)
            #expect(try store.fileBytes == bytes)
        }
        // An ordinary SQLite file that is not ours.
        let ours = try TestStore.filled(1)
        var foreign = try ours.fileBytes
        foreign.replaceSubrange(68..<72, with: [0, 0, 0, 0])
        try store.write(foreign)
        #expect(code { _ = try store.open() } == .corrupt)
        #expect(try store.fileBytes == foreign)
        // A folder of another program.
        let folder = try TestStore()
        try Data([1]).write(to: URL(fileURLWithPath: folder.directory + "/notes.txt"))
        #expect(code { _ = try folder.open() } == .corrupt)
        #expect(folder.size("") == nil)
    }

    /// Values that our programs never write.
    @Test(arguments: [
        "UPDATE documents SET sequence = -5 WHERE doc = 3", "UPDATE documents SET flags = 999 WHERE doc = 3",
        "UPDATE documents SET tree = 5 WHERE doc = 3",
        "UPDATE documents SET revision = -1 WHERE doc = 3", "UPDATE documents SET revision = 4 WHERE doc = 3",
        "UPDATE documents SET revision = 127 WHERE doc = 3", "UPDATE documents SET revision = x'00' WHERE doc = 3",
        "UPDATE documents SET revision = 68.5 WHERE doc = 3",
        "UPDATE documents SET body = x'00ff' WHERE doc = 3", "UPDATE documents SET id = x'ff' WHERE doc = 3",
        "UPDATE documents SET id = CAST(x'ff41' AS TEXT) WHERE doc = 3",
        "UPDATE purges SET live = -1", "UPDATE bodies SET doc = 999", "UPDATE expirations SET id = CAST(x'ff' AS TEXT)",
        "UPDATE counters SET extra = -1000000", "UPDATE counters SET extra = -9223372036854775807 - 1",
        "UPDATE counters SET extra = 'many'", "DELETE FROM counters", "DROP TABLE purges", "DROP TABLE documents",
        "UPDATE counters SET sequence = 9223372036854775807, extra = 9223372036854775807",
        "UPDATE expirations SET time = 'soon'", "UPDATE indexes SET row_count = -1",
        "UPDATE index_1_documents SET keys = x'0000ffff00'", "UPDATE index_1_documents SET keys = x'0105'",
        "UPDATE index_1 SET emit = -1",
        "UPDATE blob_references SET length = -1",
    ])
    func impossibleValues(sql: String) throws {
        let store = try TestStore()
        try store.write(try full())
        let raw = try Connection(store.path, flags: 2, library: .linked())
        try raw.execute(sql)
        raw.close()
        let found = code {
            let engine = try store.open(StorageOptions())
            defer { engine.close() }
            try engine.read { (transaction) throws(StorageError) in try transaction.readEverything() }
            try engine.write { (transaction) throws(StorageError) in
                try transaction.replaceIndexRows("index", of: DocumentID(name(1)), sequence: 2, rows: [])
            }
        }
        // The one change that makes an ordinary value: sequences and counters may be large.
        if !sql.contains("9223372036854775807") && !sql.contains("soon") { #expect(found == .corrupt) }
    }

    /// As they were stored once: one document in a record.
    @Test func recordsOfOneDocumentAreRead() throws {
        let store = try TestStore()
        try store.write(try full())
        let raw = try Connection(store.path, flags: 2, library: .linked())
        try raw.execute("UPDATE index_1_documents SET sequence = 2, keys = x'0000000101'")
        raw.close()
        let engine = try store.open(StorageOptions())
        defer { engine.close() }
        let row = IndexRow(key: [1], keyJSON: [49], valueJSON: nil)
        try engine.write { (transaction) throws(StorageError) in
            let same = try transaction.replaceIndexRows("index", of: DocumentID(name(1)), sequence: 2, rows: [row])
            #expect(!same)
            try transaction.replaceIndexRows("index", of: DocumentID(name(1)), sequence: 3, rows: [row, row])
        }
        try engine.read { (transaction) throws(StorageError) in
            var keys: [Int] = []
            try transaction.indexDocuments("index", after: nil) { (document) throws(StorageError) in
                keys.append(document.rowCount)
                return true
            }
            #expect(keys == [2])
        }
    }

    private func clean(_ store: TestStore) {
        for suffix in ["-wal", "-shm", "-journal"] { try? FileManager.default.removeItem(atPath: store.path + suffix) }
    }
}
