#if RocksDB
import Foundation
import StorageConformance
import StorageProtocol
import Testing

@testable import SetteeKV

/// What is taken away from the files of a killed process. There is no list of a closing then; the manifest and the logs
/// are compared with each other.
@Suite
struct RocksDBLostEndTests {
    private static let total = 120

    /// 120 documents, each in a commit of its own. The table files have those up to 100, in two flushes; the log has
    /// the others.
    private func makeStore() throws -> TestFolder {
        let folder = try TestFolder()
        let engine = try RocksDBEngine(directory: folder.path, options: StorageOptions(create: true))
        defer { engine.close() }
        for number in 0..<Self.total {
            try engine.write { (tx) throws(StorageError) in try tx.add("d\(number)", "{}") }
            if number == 50 || number == 99 { try engine.store.flush() }
        }
        // Its files are those of a killed process.
        let copy = try TestFolder()
        try FileManager.default.copyItem(atPath: folder.path + "/rocksdb", toPath: copy.path + "/rocksdb")
        return copy
    }

    private func copy(_ folder: TestFolder) throws -> TestFolder {
        let copy = try TestFolder()
        try FileManager.default.copyItem(atPath: folder.path + "/rocksdb", toPath: copy.path + "/rocksdb")
        return copy
    }

    private func files(_ folder: TestFolder, _ kind: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path + "/rocksdb")
            .filter { $0.hasSuffix(kind) || $0.hasPrefix(kind) }.sorted().map { folder.path + "/rocksdb/" + $0 }
    }

    /// What the opening finds: the number of documents, and whether it is told that some are missing; nil for 591.
    private func outcome(_ folder: TestFolder) throws -> (documents: UInt64, isTold: Bool)? {
        do throws(StorageError) {
            let engine = try RocksDBEngine(directory: folder.path, options: StorageOptions())
            defer { engine.close() }
            let documents = try engine.read { (tx) throws(StorageError) in try tx.counters().liveDocuments }
            return (documents, !engine.openingProblems.isEmpty)
        } catch {
            #expect(error.code == .corrupt)
            return nil
        }
    }

    /// The ends of the records of a file of one block.
    private func ends(_ path: String) throws -> [Int] {
        let bytes = Array(try Data(contentsOf: URL(fileURLWithPath: path)))
        var (places, place) = ([Int](), 0)
        while place + 7 <= min(bytes.count, 32 << 10) {
            place += 7 + Int(bytes[place + 4]) + Int(bytes[place + 5]) << 8
            places.append(place)
        }
        return places
    }

    private func cut(_ path: String, to length: Int) throws {
        let file = try FileHandle(forUpdating: URL(filePath: path))
        try file.truncate(atOffset: UInt64(length))
        try file.close()
    }

    @Test("a manifest that was cut between two changes is never taken for an older state")
    func tellsOfACutManifest() throws {
        let folder = try makeStore()
        #expect(try outcome(try copy(folder)).map { $0 == (UInt64(Self.total), false) } == true)
        let manifest = try #require(try files(folder, "MANIFEST").last)
        var told = 0
        for end in try ends(manifest).dropLast() {
            let damaged = try copy(folder)
            try cut(try #require(try files(damaged, "MANIFEST").last), to: end)
            let found = try outcome(damaged)
            if let found { #expect(found.documents == Self.total || found.isTold, "\(end)") }
            if found == nil { told += 1 }
        }
        #expect(told > 3)
    }

    @Test("a lost log is told")
    func tellsOfALostLog() throws {
        let folder = try makeStore()
        let logs = try files(folder, ".log")
        #expect(!logs.isEmpty)
        for place in logs.indices {
            let damaged = try copy(folder)
            try FileManager.default.removeItem(atPath: try files(damaged, ".log")[place])
            let found = try outcome(damaged)
            if let found { #expect(found.documents == Self.total || found.isTold, "\(logs[place])") }
        }
    }
}
#endif
