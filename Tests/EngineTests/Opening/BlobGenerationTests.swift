import Foundation
import Settee
import SetteeStorageFiles
import SetteeTestSupport
import StorageProtocol
import Testing

@testable import SetteeEngine

/// A generation owns its attachments' contents.
@Suite struct BlobGenerationTests {
    /// Switches an open database to a next generation with its own folder of contents, as another engine would.
    private func switchOver(_ bed: TestDatabase, sharesContents: Bool = true) throws {
        let database = bed.database
        let folder = try #require(database.folder)
        let old = try bed.engine()
        try folder.lockWriter()
        defer { folder.unlockWriter() }
        let staged = try folder.prepareGeneration(blobs: sharesContents ? .link : .build)
        try old.copy(toDirectory: staged.dataDirectory) { (_, _) throws(StorageError) in }
        let next = try database.setup.openCopy(in: staged.dataDirectory, durability: .normal)
        let retired = try folder.switchTo(staged, members: folder.manifest.members)
        database.replaceEngine(by: next, database.setup) {
            old.close()
            try? retired.delete()
        }
    }

    private func generations(_ bed: TestDatabase) throws -> [String] {
        let path = try #require(bed.database.path)
        return try FileManager.default.contentsOfDirectory(atPath: path).filter { $0.hasPrefix("blobs-") }.sorted()
    }

    private func text(_ attachment: SetteeEngine.Attachment?) throws -> String {
        String(decoding: try #require(attachment).content(), as: UTF8.self)
    }

    @Test(arguments: Storage.persistent)
    func whatIsPublishedMovesAlong(type: StorageType) throws {
        let bed = try TestDatabase(type)
        try bed.database["a"].setAttachment(named: "one", content: Array("first content".utf8))
        try switchOver(bed)
        #expect(try generations(bed) == ["blobs-000002"])
        #expect(try text(bed.database["a"].revision()?.attachment(named: "one")) == "first content")
        try bed.database["a"].setAttachment(named: "two", content: Array("second content".utf8))
        #expect(try text(bed.database["a"].revision()?.attachment(named: "two")) == "second content")
        #expect(try bed.database.check().map(\.message) == [])
        try bed.manager.close()
    }

    /// The content was renamed inside the folder that it was written in, which no longer existed.
    @Test(arguments: Storage.persistent)
    func whatWasStagedBeforeIsPublishedInTheNextOne(type: StorageType) throws {
        let bed = try TestDatabase(type)
        let staged = try bed.database.stageAttachment(.bytes(Array("staged content".utf8)))
        let other = try bed.database.stageAttachment(.bytes(Array("never taken".utf8)))
        try switchOver(bed)
        #expect(try generations(bed) == ["blobs-000002"])
        try bed.database["a"].setAttachment(named: "one", content: .staged(staged))
        #expect(try text(bed.database["a"].revision()?.attachment(named: "one")) == "staged content")
        // The same once more, after the first was published and a further switch.
        try switchOver(bed)
        try bed.database["b"].setAttachment(named: "one", content: .staged(staged))
        #expect(try text(bed.database["b"].revision()?.attachment(named: "one")) == "staged content")
        #expect(other.length == 11)
        #expect(try bed.database.check().map(\.message) == [])
        try bed.manager.close()
    }

    /// Files that are being written, with their lengths and inodes.
    private func stagedFiles(_ bed: TestDatabase, in generation: String) throws -> [UInt64: Int] {
        let folder = try #require(bed.database.path) + "/" + generation
        var found: [UInt64: Int] = [:]
        for name in try FileManager.default.contentsOfDirectory(atPath: folder) where name.hasPrefix(".settee-staging")
        {
            let facts = try FileManager.default.attributesOfItem(atPath: folder + "/" + name)
            found[try #require(facts[.systemFileNumber] as? UInt64)] = try #require(facts[.size] as? Int)
        }
        return found
    }

    /// The copy, possibly of gigabytes, was made while all writers of all processes waited.
    @Test(arguments: Storage.plainShared, [true, false])
    func whatWasStagedBeforeIsCopiedBeforeTheWriterLock(type: StorageType, inTransaction: Bool) throws {
        let bed = try TestDatabase(type)
        let content = (0..<700_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        let staged = try bed.database.stageAttachment(.bytes(content))
        try switchOver(bed)
        // Like another process that writes.
        let path = try #require(bed.database.path)
        let other = try DatabaseFolder.open(at: path)
        try other.lockWriter()
        let impatient = try bed.manager.database(
            named: "test",
            options: DatabaseOptions(durability: .normal, busyTimeout: .milliseconds(20))
        )
        func take() throws {
            if inTransaction {
                try impatient.inTransaction {
                    try impatient["a"].setAttachment(named: "one", content: .staged(staged))
                }
            } else {
                try impatient["a"].setAttachment(named: "one", content: .staged(staged))
            }
        }
        expectError(.inUse) { try take() }
        let files = try stagedFiles(bed, in: "blobs-000002")
        #expect(Array(files.values) == [content.count], "it waits there to be published")
        other.unlockWriter()
        other.close()
        try take()
        let store = try #require(try bed.database.blobStore() as? FileBlobStore)
        let file = try #require(try store.filePath(staged.content.storageName))
        let facts = try FileManager.default.attributesOfItem(atPath: file)
        #expect(files.keys.first == facts[.systemFileNumber] as? UInt64, "and is not written again")
        #expect(try stagedFiles(bed, in: "blobs-000002").isEmpty)
        #expect(try bed.database["a"].revision()?.attachment(named: "one")?.content() == content)
        #expect(try bed.database.check().map(\.message) == [])
        try bed.manager.close()
    }

    /// A content that cannot be rewritten only affects those who use it.
    @Test func whoTakesNoContentIsNotHeldUp() throws {
        let bed = try TestDatabase(.sqlite)
        let staged = try bed.database.stageAttachment(.bytes(Array("staged content".utf8)))
        try switchOver(bed)
        let path = try #require(bed.database.path)
        let (blobs, aside) = (path + "/blobs-000002", path + "/aside")
        try FileManager.default.moveItem(atPath: blobs, toPath: aside)
        try bed.database["b"].put([:])
        #expect(throws: StorageError.self) {
            try bed.database["a"].setAttachment(named: "one", content: .staged(staged))
        }
        try FileManager.default.moveItem(atPath: aside, toPath: blobs)
        try bed.database["a"].setAttachment(named: "one", content: .staged(staged))
        #expect(try text(bed.database["a"].revision()?.attachment(named: "one")) == "staged content")
        #expect(try bed.database.check().map(\.message) == [])
        try bed.manager.close()
    }

    @Test(arguments: Storage.persistent)
    func aSnapshotReadsItsOwn(type: StorageType) throws {
        let bed = try TestDatabase(type)
        try bed.database["a"].setAttachment(named: "one", content: Array("first content".utf8))
        let hasBegun = Gate()
        let hasSwitched = Gate()
        let database = bed.database
        let reader = Background {
            try database.read { _ in
                hasBegun.open()
                hasSwitched.wait()
                let content = try database["a"].revision()?.attachment(named: "one")?.content()
                #expect(content.map { String(decoding: $0, as: UTF8.self) } == "first content")
                #expect(try database.blobStore() as? FileBlobStore != nil)
                #expect((try database.blobStore() as? FileBlobStore)?.directory.hasSuffix("blobs-000001") == true)
            }
        }
        hasBegun.wait()
        // The next generation has none of the contents: a reader of the wrong one finds nothing.
        try switchOver(bed, sharesContents: false)
        hasSwitched.open()
        try reader.join()
        #expect(try generations(bed) == ["blobs-000002"], "the last reader takes the old contents with it")
        try bed.manager.close()
    }

    /// Both generations of a compaction use the same folder: nothing is rewritten.
    @Test func aCompactionSharesTheStore() throws {
        let bed = try TestDatabase(.sqlite)
        let before = try bed.database.blobStore()
        let staged = try bed.database.stageAttachment(.bytes(Array("staged content".utf8)))
        try bed.database.compact()
        #expect(try bed.database.blobStore() === before)
        try bed.database["a"].setAttachment(named: "one", content: .staged(staged))
        #expect(try bed.database.check().map(\.message) == [])
        try bed.manager.close()
    }

    /// What newer versions had written about the old database survived its replacement, and what they had written about
    /// the source was lost.
    @Test(arguments: Storage.plainPersistent)
    func membersGoWithTheirDatabase(type: StorageType) throws {
        let bed = try TestDatabase(type)
        let path = try #require(bed.database.path)
        let source = bed.folder.url.appending(path: "source")
        try bed.database.copy(to: source)
        try bed.database.close()
        func mark(_ path: String, _ text: String) throws -> ManifestMembers {
            let folder = try DatabaseFolder.open(at: path)
            var members = folder.manifest.members
            members.unknown = [Manifest.Member(name: Array("\"\(text)\"".utf8), value: Array("1".utf8))]
            let data = folder.dataDirectory
            try folder.switchGeneration(members: members) { (next) throws(StorageError) in
                for name in (try? FileManager.default.contentsOfDirectory(atPath: data)) ?? [] {
                    try? FileManager.default.copyItem(atPath: data + "/" + name, toPath: next + "/" + name)
                }
            }.delete()
            folder.close()
            return members
        }
        func members(_ path: String) throws -> ManifestMembers {
            let folder = try DatabaseFolder.open(at: path, readOnly: true)
            defer { folder.close() }
            return folder.manifest.members
        }
        _ = try mark(path, "target")
        var wanted = try mark(source.path, "source")
        for name in ["test", "new"] {
            try bed.manager.replaceDatabase(named: name, from: source)
            let found = try members(bed.folder.url.appending(path: name + ".settee").path)
            #expect(found.databaseUUID != wanted.databaseUUID)
            wanted.databaseUUID = found.databaseUUID
            #expect(found == wanted, "\(name)")
        }
        let database = try bed.manager.database(named: "test", options: TestDatabase.options)
        try database.compact()
        let copy = bed.folder.url.appending(path: "copy")
        try database.copy(to: copy)
        try bed.manager.close()
        let compacted = try members(path)
        #expect(compacted.unknown == wanted.unknown)
        let copied = try members(copy.path)
        #expect(copied.unknown == wanted.unknown)
    }
}
