#if RocksDB
import Foundation
import Settee
import SetteeTestSupport
import StorageProtocol
import Testing

/// What RocksDB's threads have failed to do is logged, and a check of the open database tells of it.
@Suite(.serialized) struct RocksDBLogTests {
    private let turn: LogTurn

    init() async throws { turn = try await LogTurn.take() }

    @Test func aDamagedFileThatACompactionMeetsIsLoggedAndChecked() throws {
        let place = try TemporaryFolder()
        let path = place.url.appending(path: "db").path
        let database = try Database.open(at: URL(filePath: path), options: DatabaseOptions(storageType: .rocksdb))
        var random = SystemRandomNumberGenerator()
        for number in 0..<50 {
            let text = (0..<100).map { _ in String(random.next(), radix: 36) }.joined()
            try database["d\(number)"].put(["text": .string(text)])
        }
        _ = try database.compact()
        let folder = path + "/data-000001/rocksdb/"
        for name in try FileManager.default.contentsOfDirectory(atPath: folder) where name.hasSuffix(".sst") {
            let file = try FileHandle(forUpdating: URL(filePath: folder + name))
            if try file.seekToEnd() > 20_000 {
                try file.seek(toOffset: 3000)
                try file.write(contentsOf: Data(count: 20))
            }
            try file.close()
        }
        try database["f"].put(["text": "new"])
        let lines = try Captured.during {
            #expect(throws: StorageError.self) { _ = try database.compact() }
            let failure = #expect(throws: StorageError.self) { try database["e"].put([:]) }
            #expect(failure?.code == .corrupt)
            #expect(try database.check().contains { $0.message.contains("in the background") })
            try database.close()
        }
        #expect(lines.filter { $0.hasPrefix("error settee.Storage: ") && $0.contains("in the background") }.count == 1)
    }
}
#endif
