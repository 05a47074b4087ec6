import Foundation
import Settee
import SetteeTestSupport
import StorageProtocol
import Testing

@testable import SetteeEngine

/// A damaged content of an attachment was copied, and kept by compaction, without any report.
@Suite struct DamagedCopyTests {
    @Test(arguments: [StorageType.sqlite, .sqlcipher, .lmdb], [false, true])
    func itIsNotTakenAlong(type: StorageType, isMissing: Bool) throws {
        let bed = try EncryptedFixture()
        let key = type == .sqlcipher ? try EncryptedFixture.key() : nil
        let database = try bed.open("test", type, key: key)
        try database["a"].setAttachment(named: "file", content: Array("whole content".utf8))
        try database["b"].setAttachment(named: "file", content: [UInt8](repeating: 7, count: 300_000))
        let blobs = bed.path() + "/blobs-000001"
        let all = try FileManager.default.subpathsOfDirectory(atPath: blobs).filter { $0.utf8.count > 64 }
        let sizes = try all.map { try Data(contentsOf: URL(filePath: blobs + "/" + $0)).count }
        let file = URL(filePath: blobs + "/" + all[sizes.firstIndex(of: try #require(sizes.min()))!])
        let good = try Data(contentsOf: file)
        try FileManager.default.removeItem(at: file)
        if !isMissing {
            var bytes = good
            bytes[bytes.count / 2] ^= 1
            try bytes.write(to: file)
        }
        let copy = bed.path("copy")
        let names = try FileManager.default.subpathsOfDirectory(atPath: bed.path() + "/").filter { !$0.contains("db") }
        expectError(.corrupt) { try database.copy(to: URL(filePath: copy)) }
        #expect(!FileManager.default.fileExists(atPath: copy))
        expectError(.corrupt) { _ = try database.compact() }
        let left = try FileManager.default.subpathsOfDirectory(atPath: bed.path() + "/").filter { !$0.contains("db") }
        #expect(left.sorted() == names.sorted())
        try good.write(to: file)
        try database.copy(to: URL(filePath: copy))
        try database.compact()
        #expect(try database["a"].read().attachment(named: "file")?.content() == Array("whole content".utf8))
    }
}
