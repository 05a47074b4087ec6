import Foundation
import Settee
import SetteeMemory
import SetteeTestSupport
import StorageConformance
import Testing

@testable import SetteeEngine

/// The content of an attachment was damaged below the database, and keeps its length: attaching it again anywhere, or
/// importing an export that has it, repairs it. A file of the right length used to be taken for the content.
@Suite struct DamagedContentTests {
    private static let content = Array("a precious content, which is long enough to be damaged".utf8)
    private static let damaged = Array("a pracious content, which is long enough to be damaged".utf8)

    private func damage(_ bed: TestDatabase) throws {
        let store = try bed.database.blobStore()
        var name: String?
        try store.names { (found) throws(StorageError) in
            name = found
            return false
        }
        let blob = try #require(name)
        if let memory = store as? MemoryBlobStore {
            memory.damage(blob, with: Self.damaged)
        } else {
            let path = try #require(bed.database.path)
            let folder = try #require(
                try FileManager.default.contentsOfDirectory(atPath: path).first { $0.hasPrefix("blobs-") }
            )
            let file = URL(filePath: "\(path)/\(folder)/\(blob.prefix(2))/\(blob)")
            try FileManager.default.removeItem(at: file)
            try Data(Self.damaged).write(to: file)
        }
        #expect(try !bed.database.check().isEmpty)
        #expect(try content(bed, "a") != Self.content)
    }

    /// Nil if it cannot be read.
    private func content(_ bed: TestDatabase, _ id: String) throws -> [UInt8]? {
        let attachment = try #require(try bed.database[id].read().attachment(named: "file"))
        return try? attachment.content()
    }

    private func expectMended(_ bed: TestDatabase) throws {
        #expect(try content(bed, "a") == Self.content)
        #expect(try bed.database.check().map(\.description) == [])
        try bed.reopen()
        #expect(try content(bed, "a") == Self.content)
    }

    @Test(arguments: Storage.all) func attachingTheContentAgainMendsIt(_ type: StorageType) throws {
        for (id, name) in [("a", "file"), ("a", "other"), ("b", "file")] {
            try withDatabase(type) { (bed) throws in
                try bed.database["a"].setAttachment(named: "file", content: Self.content)
                try damage(bed)
                try bed.database[id].setAttachment(named: name, content: Self.content)
                try expectMended(bed)
            }
        }
    }

    /// A content that nothing refers to any more is in the trash, or waits for the next compaction.
    @Test(arguments: Storage.all) func contentThatNothingRefersToIsMendedToo(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            try bed.database["a"].setAttachment(named: "file", content: Self.content)
            try damage(bed)
            try bed.database["a"].purge()
            try bed.database["a"].setAttachment(named: "file", content: Self.content)
            try expectMended(bed)
            try bed.database.compact()
            try expectMended(bed)
        }
    }

    @Test(arguments: Storage.all) func importingAnExportMendsIt(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            try bed.database["a"].setAttachment(named: "file", content: Self.content)
            let text = try ExportText(bed.database)
            try damage(bed)
            try text.importer(in: bed.folder.url).run(into: bed.database)
            try expectMended(bed)
        }
    }
}
