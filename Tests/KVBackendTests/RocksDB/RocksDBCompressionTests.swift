#if RocksDB
import Foundation
import StorageConformance
import StorageProtocol
import Testing

@testable import SetteeKV

@Suite
struct RocksDBCompressionTests {
    /// Writes 3 MB, and compacts.
    ///
    /// - Returns: The bytes of table files before and after.
    private func compact(_ folder: TestFolder, isInFiles: Bool) throws -> (before: UInt64, after: UInt64) {
        let engine = try RocksDBEngine(directory: folder.path, options: StorageOptions(create: true))
        defer { engine.close() }
        var random = SeededGenerator(seed: 5)
        let transaction = try engine.store.beginWrite()
        for _ in 0..<20_000 {
            let words = (0..<20).map { _ in "\(random.below(10_000)) or" }
            try transaction.put(random.bytes(8), Array(words.joined(separator: " ").utf8))
        }
        try transaction.commit()
        if isInFiles { try engine.store.flush() }
        let handles = try engine.store.handles()
        let before = handles.sum("rocksdb.total-sst-files-size")
        try engine.compact { (_, _) throws(StorageError) in }
        return (before, handles.sum("rocksdb.total-sst-files-size"))
    }

    @Test("compaction compresses better than RocksDB does by itself, which goes on as before")
    func compressesWell() throws {
        let folder = try TestFolder()
        let ofFiles = try compact(folder, isInFiles: true)
        #expect(ofFiles.after < ofFiles.before * 4 / 5, "\(ofFiles)")
        let ofMemory = try compact(TestFolder(), isInFiles: false)
        #expect(ofMemory.after < ofFiles.before * 4 / 5, "\(ofMemory)")
        // What applies to each family, as RocksDB writes it down.
        let path = folder.path + "/rocksdb"
        let names = try FileManager.default.contentsOfDirectory(atPath: path).filter { $0.hasPrefix("OPTIONS") }
        let text = try String(contentsOfFile: path + "/" + #require(names.max()), encoding: .utf8)
        let kinds = text.split(separator: "\n").filter { $0.contains("bottommost_compression=") }
        #expect(kinds.count == Table.allCases.count)
        #expect(kinds.allSatisfy { $0.hasSuffix("kDisableCompressionOption") })
    }
}
#endif
