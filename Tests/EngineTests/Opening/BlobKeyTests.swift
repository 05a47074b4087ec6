import Foundation
import Settee
import SetteeStorageFiles
import SetteeTestSupport
import StorageProtocol
import Testing

@testable import SetteeEngine

/// The next generation has other keys: its contents have other files, with other names.
@Suite struct BlobKeyTests {
    /// - Parameter key: that of the next generation; nil for none.
    private func switchOver(_ bed: TestDatabase, key: UInt8?) throws {
        let database = bed.database
        let folder = try #require(database.folder)
        let old = try bed.engine()
        let codec: any BlobCodec = key.map { ScrambledBlobCodec(key: $0) } ?? PlainBlobCodec()
        let source = try #require(try database.presentBlobStore() as? FileBlobStore)
        try folder.lockWriter()
        defer { folder.unlockWriter() }
        let staged = try folder.prepareGeneration(blobs: .build)
        try old.copy(toDirectory: staged.dataDirectory) { (_, _) throws(StorageError) in }
        let next = try database.setup.openCopy(in: staged.dataDirectory, durability: .normal)
        var blobs = try BlobImport(from: source, to: try #require(staged.blobDirectory), codec: codec)
        var references: [BlobReference] = []
        try next.read { (transaction) throws(StorageError) in
            try transaction.blobReferences { (reference) throws(StorageError) in
                references.append(reference)
                return true
            }
        }
        try next.write { (transaction) throws(StorageError) in
            for var reference in references where reference.count > 0 {
                reference.storageName = try blobs.bring(reference.storageName)
                try transaction.setBlobReference(reference)
            }
        }
        try blobs.sync()
        try next.checkpoint()
        let retired = try folder.switchTo(staged, members: folder.manifest.members)
        var setup = database.setup
        setup.codec = codec
        database.replaceEngine(by: next, setup) {
            old.close()
            try? retired.delete()
        }
    }

    private func content(_ bed: TestDatabase, _ id: String) throws -> String? {
        try bed.database[id].read().attachment(named: "file").map { String(decoding: try $0.content(), as: UTF8.self) }
    }

    private func references(_ bed: TestDatabase) throws -> [String] {
        var names: [String] = []
        try bed.database.withReadTransaction { (transaction) throws(StorageError) in
            try transaction.blobReferences { (reference) throws(StorageError) in
                names.append(reference.storageName)
                return true
            }
        }
        return names.sorted()
    }

    private func names(_ bed: TestDatabase) throws -> [String] {
        var names: [String] = []
        try bed.database.presentBlobStore().names { (name) throws(StorageError) in
            names.append(name)
            return true
        }
        return names.sorted()
    }

    /// The reference had the content's name in the store where it was staged, a name that no store has any more.
    @Test(arguments: Storage.persistent, [nil, 7] as [UInt8?])
    func whatWasStagedBeforeHasTheNameOfItsStore(type: StorageType, key: UInt8?) throws {
        let bed = try TestDatabase(type)
        if key == nil { try switchOver(bed, key: 3) }
        let database = bed.database
        try database["old"].setAttachment(named: "file", content: Array("old".utf8))
        let staged = try database.stageAttachment(.bytes(Array("staged".utf8)))
        let twin = try database.stageAttachment(.bytes(Array("staged".utf8)))
        let known = try database.stageAttachment(.bytes(Array("old".utf8)))
        try switchOver(bed, key: key)
        let late = try database.stageAttachment(.bytes(Array("staged".utf8)))
        try database["a"].setAttachment(named: "file", content: .staged(staged))
        try database["b"].put([
            "_attachments": ["file": ["follows": true, "digest": .string(staged.digest), "length": 6]]
        ])
        try database["c"].setAttachment(named: "file", content: .staged(known))
        #expect(try content(bed, "a") == "staged" && content(bed, "b") == "staged" && content(bed, "c") == "old")
        #expect(try references(bed) == names(bed))
        #expect(try names(bed).count == 2)
        #expect(twin.digest == late.digest)
        #expect(try database.check().map(\.message) == [])
        // Rolled back, and collected as waste: it is written again.
        let other = try database.stageAttachment(.bytes(Array("another".utf8)))
        try switchOver(bed, key: 9)
        try? database.inTransaction {
            try database["d"].setAttachment(named: "file", content: .staged(other))
            throw CancellationError()
        }
        try database.compact()
        #expect(try names(bed) == references(bed))
        try database["d"].setAttachment(named: "file", content: .staged(other))
        #expect(try content(bed, "d") == "another")
        #expect(try references(bed) == names(bed))
        #expect(try database.check().map(\.message) == [])
        try bed.manager.close()
    }

    @Test(arguments: Storage.plainPersistent) func theFileOfAnEncodedContentIsNobodysToRead(type: StorageType) throws {
        let bed = try TestDatabase(type)
        try bed.database["a"].setAttachment(named: "file", content: Array("text".utf8))
        let attachment = try #require(try bed.database["a"].read().attachment(named: "file"))
        #expect(try attachment.fileURL() != nil)
        try switchOver(bed, key: 7)
        #expect(try attachment.fileURL() == nil)
        #expect(try attachment.content() == Array("text".utf8))
        try bed.database["a"].delete()
        try bed.database.compact()
        expectError(.attachmentNotFound) { _ = try attachment.fileURL() }
        try bed.manager.close()
    }

    private func damage(_ bed: TestDatabase, _ name: String, with bytes: [UInt8]) throws {
        let store = try #require(try bed.database.presentBlobStore() as? FileBlobStore)
        let file = URL(filePath: "\(store.directory)/\(name.prefix(2))/\(name)")
        try FileManager.default.removeItem(at: file)
        try Data(bytes).write(to: file)
    }

    /// Damage is found when a file is opened, or by its size alone: it is reported, and prevents nothing but
    /// compaction.
    @Test(arguments: Storage.persistent, [[], [1, 2, 3]] as [[UInt8]])
    func damageIsToldAndMended(type: StorageType, bytes: [UInt8]) throws {
        let bed = try TestDatabase(type)
        let database = bed.database
        try switchOver(bed, key: 7)
        let content = Array("precious".utf8)
        try database["a"].setAttachment(named: "file", content: content)
        let name = try #require(try references(bed).first)
        try damage(bed, name, with: bytes)
        let problems = try database.check().map(\.message)
        #expect(problems.count == 1 && problems.first?.contains(name) == true, "\(problems)")
        expectError(.corrupt) { _ = try self.content(bed, "a") }
        // A stub repeats what is there, intact or not.
        try database["b"].put([
            "_attachments": ["file": ["stub": true, "digest": .string(try self.digest(bed, "a"))]]
        ])
        expectError(.corrupt) {
            try database["c"].put([
                "_attachments": [
                    "file": ["stub": true, "digest": .string(try self.digest(bed, "a")), "encoding": "gzip"]
                ]
            ])
        }
        expectError(.corrupt) { _ = try database.compact() }
        try database["d"].setAttachment(named: "file", content: content)
        #expect(try self.content(bed, "a") == "precious")
        #expect(try database.check().map(\.message) == [])
        try bed.manager.close()
    }

    private func digest(_ bed: TestDatabase, _ id: String) throws -> String {
        try #require(try bed.database[id].read().attachment(named: "file")).digest
    }

    /// Its digest cannot be determined, so compaction failed on it every time.
    @Test(arguments: Storage.persistent, [[], [1, 2, 3]] as [[UInt8]])
    func aDamagedOrphanIsCollected(type: StorageType, bytes: [UInt8]) throws {
        let bed = try TestDatabase(type)
        let database = bed.database
        try switchOver(bed, key: 7)
        try database["a"].setAttachment(named: "file", content: Array("kept".utf8))
        let writer = try database.blobStore().makeWriter()
        try writer.append(Array("an orphan".utf8).span.bytes)
        let orphan = try writer.finish().storageName
        try writer.publish()
        try damage(bed, orphan, with: bytes)
        #expect(try names(bed).count == 2)
        try database.compact()
        #expect(try names(bed) == references(bed))
        #expect(try content(bed, "a") == "kept")
        try bed.manager.close()
    }
}
