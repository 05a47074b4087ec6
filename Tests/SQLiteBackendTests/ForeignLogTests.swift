internal import Foundation
internal import StorageProtocol
internal import Testing

@testable internal import SetteeSQLite

/// After a restore that left the old log beside another data file, SQLite moved that log into the file.
@Suite struct ForeignLogTests {
    private static let frame = 4096 + 24

    /// The files of a store with `count` documents and, in its log, `more`, as a kill leaves them.
    private func killed(_ count: Int, more: Int) throws -> TestStore {
        let store = try TestStore.filled(count)
        let engine = try store.open(StorageOptions())
        defer { engine.close() }
        for number in count..<count + more { try engine.insert(number..<number + 1) }
        let left = try TestStore()
        for suffix in ["", "-wal"] {
            try FileManager.default.copyItem(atPath: store.path + suffix, toPath: left.path + suffix)
        }
        return left
    }

    private func files(_ store: TestStore) throws -> [Data?] {
        ["", "-wal", "-shm"].map { try? Data(contentsOf: URL(filePath: store.path + $0)) }
    }

    private func expectRefusal(_ store: TestStore) throws {
        let before = try files(store)
        let factory = SQLiteEngineFactory()
        for options in [StorageOptions(), StorageOptions(readOnly: true), StorageOptions(toleratesDamage: true)] {
            #expect(code { try factory.authorize(directory: store.directory, options: options) } == .corrupt)
            #expect(code { try factory.open(directory: store.directory, options: options).close() } == .corrupt)
        }
        #expect(try files(store) == before)
    }

    /// For a log without a first page, only the number of pages shows it, which differs in a store of another size.
    @Test(arguments: [(1, 1, 200), (300, 300, 200), (300, 20, 1)])
    func theLogOfAnotherStoreIsRefused(count: Int, otherCount: Int, more: Int) throws {
        let store = try TestStore.filled(count)
        let other = try killed(otherCount, more: more)
        try FileManager.default.copyItem(atPath: other.path + "-wal", toPath: store.path + "-wal")
        try expectRefusal(store)
        try FileManager.default.removeItem(atPath: store.path + "-wal")
        let engine = try store.open(StorageOptions())
        defer { engine.close() }
        #expect(try engine.problems() == [])
        #expect(try engine.read { (now) throws(StorageError) in try now.ids() }.count == count)
    }

    /// An older copy of the file with a later log of the same store: the log continues from a state that the file has
    /// not reached.
    @Test func aLaterLogBesideAnOlderFileIsRefused() throws {
        let store = try TestStore.filled(50)
        let old = try store.fileBytes
        for round in 1...3 {
            let engine = try store.open(StorageOptions())
            try engine.insert(round * 1000..<round * 1000 + 300)
            engine.close()
        }
        let engine = try store.open(StorageOptions())
        defer { engine.close() }
        try engine.insert(9000..<9300)
        let restored = try TestStore()
        try restored.write(old)
        try FileManager.default.copyItem(atPath: store.path + "-wal", toPath: restored.path + "-wal")
        try expectRefusal(restored)
    }

    /// Pages of another size do not match, whatever they contain.
    @Test func aLogOfOtherPagesIsRefused() throws {
        let store = try TestStore.filled(20)
        let other = try TestStore()
        let raw = try Connection(other.path, flags: 6, library: .linked())
        defer { raw.close() }
        try raw.execute("PRAGMA page_size = 1024; PRAGMA application_id = 1399157876; PRAGMA user_version = 1")
        _ = try raw.values("PRAGMA journal_mode = WAL")
        try raw.execute("CREATE TABLE t(a)")
        try FileManager.default.copyItem(atPath: other.path + "-wal", toPath: store.path + "-wal")
        try expectRefusal(store)
    }

    /// A kill at any moment of a checkpoint leaves a log that belongs to the file: any part of its pages is in the
    /// file.
    @Test func theOwnLogBesideAHalfDoneCheckpointIsTaken() throws {
        let left = try killed(50, more: 12)
        let (file, log) = (try left.fileBytes, try [UInt8](Data(contentsOf: URL(filePath: left.path + "-wal"))))
        let frames = (log.count - 32) / Self.frame
        for moved in 0...frames {
            var bytes = file
            for number in 0..<moved {
                let start = 32 + number * Self.frame
                let page = log[start..<start + 4].reduce(0) { $0 << 8 | Int($1) }
                if bytes.count < page * 4096 { bytes += [UInt8](repeating: 0, count: page * 4096 - bytes.count) }
                bytes.replaceSubrange((page - 1) * 4096..<page * 4096, with: log[start + 24..<start + Self.frame])
            }
            let store = try TestStore()
            try store.write(bytes)
            try Data(log).write(to: URL(filePath: store.path + "-wal"))
            let engine = try store.open(StorageOptions())
            defer { engine.close() }
            #expect(try engine.read { (now) throws(StorageError) in try now.ids() }.count == 62, "\(moved) frames")
        }
    }
}
