import Foundation
import Settee
import SetteeStorageFiles
import StorageProtocol
import Testing

@testable import SetteeEngine

/// A generation owns its attachments' contents.
@Suite struct BlobGenerationTests {
    /// Switches an open database to a next generation with a folder of contents of its own, as another engine would have.
    private func switchOver(_ bed: TestBed, sharesContents: Bool = true) throws {
        let database = bed.database
        let folder = try #require(database.folder)
        let old = try bed.engine()
        try folder.lockWriter()
        defer { folder.unlockWriter() }
        let staged = try folder.prepareGeneration(blobs: sharesContents ? .link : .build)
        try old.copy(toDirectory: staged.dataDirectory) { (_, _) throws(StorageError) in }
        let next = try database.setup.openCopy(in: staged.dataDirectory, durability: .normal)
        let retired = try folder.switchTo(staged, members: folder.manifest.members)
        database.replaceEngine(by: next) {
            old.close()
            try? retired.delete()
        }
    }

    private func generations(_ bed: TestBed) throws -> [String] {
        let path = try #require(bed.database.path)
        return try FileManager.default.contentsOfDirectory(atPath: path).filter { $0.hasPrefix("blobs-") }.sorted()
    }

    private func text(_ attachment: SetteeEngine.Attachment?) throws -> String {
        String(decoding: try #require(attachment).content(), as: UTF8.self)
    }

    @Test(arguments: Storage.persistent)
    func whatIsPublishedMovesAlong(type: StorageType) throws {
        let bed = try TestBed(type)
        try bed.database["a"].setAttachment(named: "one", content: Array("first content".utf8))
        try switchOver(bed)
        #expect(try generations(bed) == ["blobs-000002"])
        #expect(try text(bed.database["a"].revision()?.attachment(named: "one")) == "first content")
        try bed.database["a"].setAttachment(named: "two", content: Array("second content".utf8))
        #expect(try text(bed.database["a"].revision()?.attachment(named: "two")) == "second content")
        #expect(try bed.database.check().map(\.message) == [])
        try bed.manager.close()
    }

    /// The content was renamed inside the folder that it was written in, which was gone.
    @Test(arguments: Storage.persistent)
    func whatWasStagedBeforeIsPublishedInTheNextOne(type: StorageType) throws {
        let bed = try TestBed(type)
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

    @Test(arguments: Storage.persistent)
    func aSnapshotReadsItsOwn(type: StorageType) throws {
        let bed = try TestBed(type)
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

    /// Both generations of a compaction have the same folder: nothing is written anew.
    @Test func aCompactionSharesTheStore() throws {
        let bed = try TestBed(.sqlite)
        let before = try bed.database.blobStore()
        let staged = try bed.database.stageAttachment(.bytes(Array("staged content".utf8)))
        try bed.database.compact()
        #expect(try bed.database.blobStore() === before)
        try bed.database["a"].setAttachment(named: "one", content: .staged(staged))
        #expect(try bed.database.check().map(\.message) == [])
        try bed.manager.close()
    }

    /// Key slots of the old database survived its replacement, and those of the source were lost.
    @Test(arguments: Storage.persistent)
    func membersGoWithTheirDatabase(type: StorageType) throws {
        let bed = try TestBed(type)
        let path = try #require(bed.database.path)
        let source = bed.folder.url.appending(path: "source")
        try bed.database.copy(to: source)
        try bed.database.close()
        func mark(_ path: String, _ text: String) throws -> ManifestMembers {
            let folder = try DatabaseFolder.open(at: path)
            var members = folder.manifest.members
            members.keySlots = [Array(#"{"of":"\#(text)"}"#.utf8)]
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
        let database = try bed.manager.database(named: "test", options: TestBed.options)
        try database.compact()
        let copy = bed.folder.url.appending(path: "copy")
        try database.copy(to: copy)
        try bed.manager.close()
        let compacted = try members(path)
        #expect(compacted.keySlots == wanted.keySlots && compacted.unknown == wanted.unknown)
        let copied = try members(copy.path)
        #expect(copied.keySlots == wanted.keySlots && copied.unknown == wanted.unknown)
    }
}
