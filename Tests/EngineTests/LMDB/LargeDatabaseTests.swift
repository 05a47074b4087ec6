import Foundation
import Settee
import SetteeTestSupport
import Testing

@testable import SetteeEngine

/// Reading a whole database takes no memory for it: what is read is in the mapped file.
@Suite("A large database", .enabled(if: privateMemory() != nil)) struct LargeDatabaseTests {
    private static let body = 8_000

    @Test func aFullScanNeedsLittleMemory() async throws {
        let isLong = ProcessInfo.processInfo.environment["SETTEE_STRESS"] != nil
        let count = (isLong ? 5_000_000_000 : 50_000_000) / Self.body
        let folder = try TemporaryFolder()
        let path = folder.url.appending(path: "test.settee").path
        try fill(path, count)
        // In a process of its own, which has read nothing else.
        await #expect(processExitsWith: .success) {
            [path = path as String, count = count as Int, isLong = isLong as Bool] in
            let database = try open(path)
            let size = try database.statistics().bytesOnDisk
            #expect(size >= UInt64(count * 8_000))
            _ = try database["d0000000000"].read()
            let before = try #require(privateMemory())
            var most = before
            var rows = 0
            var bytes = 0
            try database.allDocuments(.init(includeBodies: true)).forEach { row in
                bytes += row.json?.count ?? 0
                rows += 1
                if rows % 500 == 0 { most = max(most, privateMemory() ?? .max) }
            }
            #expect(rows == count && bytes > count * 8_000)
            let note: Comment = "\(before) bytes before the scan, \(most) in it"
            #expect(most - before < 20_000_000, note)
            if isLong { #expect(most < 100_000_000, note) }
            try database.close()
        }
    }

    private func fill(_ path: String, _ count: Int) throws {
        let database = try open(path)
        let text = String(repeating: "x", count: Self.body)
        for start in stride(from: 0, to: count, by: 1000) {
            try database.inTransaction {
                for number in start..<min(start + 1000, count) {
                    let digits = String(number)
                    let id = "d" + String(repeating: "0", count: 10 - digits.count) + digits
                    try database[id].put(json: #"{"text":"\#(text)"}"#)
                }
            }
        }
        try database.close()
    }
}

private func open(_ path: String) throws -> Database {
    try Database.open(
        at: URL(filePath: path),
        options: DatabaseOptions(
            storageType: .lmdb,
            durability: .normal,
            compression: .uncompressed,
            compactionThreshold: nil
        ),
        engines: [Storage.factory(.lmdb)]
    )
}
