#if RocksDB
import Foundation
import StorageConformance
import StorageProtocol
import Testing

@testable import SetteeKV

/// What RocksDB's threads fail to do is told: by the next commit, by a check of the open store, and for the log.
@Suite
struct RocksDBBackgroundTests {
    @Test("a compaction that meets a damaged file is told by the next commit, by verify, and once for the log")
    func tellsOfDamage() throws {
        let folder = try TestFolder()
        let engine = try RocksDBEngine(directory: folder.path, options: StorageOptions(create: true), memory: 8 << 20)
        defer { engine.close() }
        for round in UInt8(1)...7 { try engine.fill(round) }
        #expect(try engine.store.statistics()["filesAtLevels"]?.hasPrefix("0 ") == false)
        #expect(engine.takeBackgroundProblems().isEmpty)
        let tables = try FileManager.default.contentsOfDirectory(atPath: folder.path + "/rocksdb")
            .filter { $0.hasSuffix(".sst") }
        for table in tables {
            let file = try FileHandle(forUpdating: URL(filePath: folder.path + "/rocksdb/" + table))
            if try file.seekToEnd() > 20_000 {
                try file.seek(toOffset: 3000)
                try file.write(contentsOf: Data(count: 20))
            }
            try file.close()
        }
        // The eighth file of a table has them compacted. Tables that are flushed after it may meet the error.
        _ = try? engine.fill(8)
        let deadline = ContinuousClock.now + .seconds(20)
        while engine.store.backgroundProblem == nil, ContinuousClock.now < deadline {
            Thread.sleep(forTimeInterval: 0.01)
        }
        let failure = #expect(throws: StorageError.self) { try engine.fill(9, isFlushed: false) }
        #expect(failure?.code == .corrupt)
        var problems: [StorageProblem] = []
        try engine.verify { problems.append($0) }
        #expect(problems.contains { $0.message.contains("in the background") })
        Thread.sleep(forTimeInterval: 0.2)
        #expect(engine.takeBackgroundProblems().map(\.area) == ["files"])
        Thread.sleep(forTimeInterval: 0.2)
        #expect(engine.takeBackgroundProblems().isEmpty)
        // What is open then is another database of RocksDB.
        _ = try? engine.fill(10, isFlushed: false)
        problems = []
        try engine.verify { problems.append($0) }
        #expect(problems.contains { $0.message.contains("in the background") })
        engine.close()
        // It would be written when the disk is full, which ends the process.
        let log = try String(contentsOfFile: folder.path + "/rocksdb/LOG", encoding: .utf8)
        #expect(!log.contains("WARN") && !log.contains("ERROR"))
    }

    @Test("a flush that finds no room is told by the next commit, which the store takes once there is some")
    func tellsOfAFullDisk() async {
        await #expect(processExitsWith: .success) {
            let folder = try TestFolder()
            let engine = try RocksDBEngine(
                directory: folder.path,
                options: StorageOptions(create: true),
                memory: 8 << 20
            )
            try engine.fill(1, isFlushed: false)
            limitFiles(to: 100_000)
            // It fails on a thread of RocksDB.
            guard code({ try engine.store.flush() }) == .full else { exit(2) }
            guard code({ try engine.fill(2, isFlushed: false) }) == .full else { exit(3) }
            limitFiles(to: .max)
            try engine.fill(3, isFlushed: false)
            guard engine.takeBackgroundProblems().count == 1 else { exit(4) }
            var problems: [StorageProblem] = []
            try engine.verify { problems.append($0) }
            guard problems.contains(where: { $0.message.contains("in the background") }) else { exit(5) }
            engine.close()
            let again = try RocksDBEngine(directory: folder.path, options: StorageOptions())
            problems = []
            try again.verify { problems.append($0) }
            guard !problems.contains(where: { $0.message.contains("in the background") }) else { exit(6) }
            again.close()
        }
    }
}

extension RocksDBEngine {
    /// Writes 100 values of 2 KB that are no shorter when they are compressed.
    fileprivate func fill(_ seed: UInt8, isFlushed: Bool = true) throws(StorageError) {
        var random = SeededGenerator(seed: UInt64(seed))
        let transaction = try store.beginWrite()
        for number in UInt8(0)..<100 { try transaction.put([number, 1], random.bytes(2000)) }
        try transaction.commit()
        if isFlushed { try store.flush() }
    }
}
#endif
