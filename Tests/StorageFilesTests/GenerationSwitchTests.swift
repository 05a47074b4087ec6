import Foundation
import SetteeStorageFiles
import StorageProtocol
import Testing

@Suite("The generation switch")
struct GenerationSwitchTests {
    @Test func replacesTheGeneration() throws {
        let home = try TemporaryFolder()
        try home.makeDatabase()
        let folder = try DatabaseFolder.open(at: home.database)
        var steps: [String] = []
        let retired = try folder.switchGeneration(
            members: ManifestMembers(storageType: .lmdb, databaseUUID: folder.databaseUUID),
            sharing: .multiProcess,
            build: { (data) throws(StorageError) in
                steps.append("build")
                #expect(data == home.database + "/data-000002")
                try write("generation 2", to: data + "/db")
            },
            verify: { _ in steps.append("verify") },
            beforeCommit: {
                steps.append("commit")
                #expect(folder.manifest.serial == 1)
            }
        )
        #expect(steps == ["build", "verify", "commit"])
        #expect(folder.dataDirectory == home.database + "/data-000002")
        #expect(folder.blobDirectory == home.database + "/blobs-000001")
        #expect(folder.storageType == .lmdb)
        #expect(try text(of: home.database + "/data-000001/db") == "generation 1", "readers may still need it")
        try retired.delete()
        try retired.delete()
        #expect(!exists(home.database + "/data-000001"))
        #expect(try bytes(of: home.database + "/manifest.json") == bytes(of: home.database + "/manifest-copy.json"))
        folder.close()
        let again = try DatabaseFolder.open(at: home.database)
        #expect(again.manifest.serial == 2)
        #expect(again.storageType == .lmdb)
        #expect(again.databaseUUID == folder.databaseUUID)
        #expect(try text(of: again.dataDirectory + "/db") == "generation 2")
    }

    @Test(arguments: ["build", "verify", "commit"])
    func aRefusalLeavesTheOldGeneration(_ step: String) throws {
        let home = try TemporaryFolder()
        try home.makeDatabase()
        let before = try home.names(in: home.database)
        let folder = try DatabaseFolder.open(at: home.database)
        let refuse = { (present: String) throws(StorageError) in
            if present == step { throw StorageError(.cancelled, "no") }
        }
        try failure(.cancelled) {
            _ = try folder.switchGeneration(
                blobs: .link,
                build: { (data) throws(StorageError) in
                    try write("half", to: data + "/db")
                    try refuse("build")
                },
                verify: { (_) throws(StorageError) in try refuse("verify") },
                beforeCommit: { () throws(StorageError) in try refuse("commit") }
            )
        }
        #expect(folder.manifest.serial == 1)
        #expect(try home.names(in: home.database) == before)
        try folder.switchGeneration(build: { _ in }).delete()
        #expect(folder.manifest.serial == 2)
    }

    @Test func bringsTheBlobsAlong() throws {
        let home = try TemporaryFolder()
        try home.makeDatabase()
        let folder = try DatabaseFolder.open(at: home.database)
        let old = try folder.makeBlobStore()
        let first = try publish("first", in: old)
        let trashed = try publish("trashed", in: old)
        #expect(try old.moveToTrash(trashed.storageName, epoch: 1))
        var late: BlobContent?
        let retired = try folder.switchGeneration(
            blobs: .link,
            build: { _ in },
            // Published after the build has linked the existing blobs.
            beforeCommit: { () throws(StorageError) in late = try publish("late", in: old) }
        )
        let new = try folder.makeBlobStore()
        #expect(new.directory == home.database + "/blobs-000002")
        for content in [first, try #require(late)] {
            #expect(try new.verify(content.storageName) == nil)
            #expect(try old.verify(content.storageName) == nil)
        }
        #expect(try new.size(trashed.storageName) == nil)
        try retired.delete()
        #expect(!exists(home.database + "/blobs-000001"))
        #expect(try new.verify(first.storageName) == nil)
    }

    /// One switch after another, with sweeps by new openers in between: numbers are not reused while they exist.
    @Test func manyInARow() throws {
        let home = try TemporaryFolder()
        try home.makeDatabase()
        for round in 2...12 {
            let folder = try DatabaseFolder.open(at: home.database)
            let retired = try folder.switchGeneration { (data) throws(StorageError) in
                try write("generation \(round)", to: data + "/db")
            }
            // Every other time the old one is left to the next opener.
            if round % 2 == 0 { try retired.delete() }
            #expect(try text(of: folder.dataDirectory + "/db") == "generation \(round)")
        }
        let folder = try DatabaseFolder.open(at: home.database)
        #expect(folder.manifest.serial == 12)
        #expect(try home.names(in: home.database).filter { $0.hasPrefix("data-") } == ["data-000012"])
    }

    @Test func aReaderCannotSwitch() throws {
        let home = try TemporaryFolder()
        try home.makeDatabase()
        let folder = try DatabaseFolder.open(at: home.database, readOnly: true)
        try failure(.readOnly) { _ = try folder.switchGeneration(build: { _ in }) }
        try failure(.readOnly) { try folder.lockWriter() }
    }

    /// Whatever looked like a generation that the manifest does not name used to be removed at the next open, including
    /// copies made by hand.
    @Test func sweepsOnlyWhatSetteeHasMade() throws {
        let home = try TemporaryFolder()
        try home.makeDatabase()
        let byHand = ["data-000002", "data-000099", "blobs-000002", "data-backup", "notes"]
        for name in byHand {
            try FileManager.default.createDirectory(
                atPath: home.database + "/" + name,
                withIntermediateDirectories: false
            )
            try write("mine", to: home.database + "/" + name + "/db")
        }
        try write("mine", to: home.database + "/holders/notes.txt")
        for round in 0..<3 {
            let folder = try DatabaseFolder.open(at: home.database)
            try folder.switchGeneration(blobs: .link) { (data) throws(StorageError) in
                try write("generation", to: data + "/db")
            }.delete()
            folder.close()
            for name in byHand {
                #expect(try text(of: home.database + "/" + name + "/db") == "mine", "\(name), \(round)")
            }
            #expect(try text(of: home.database + "/holders/notes.txt") == "mine")
            let names = try home.names(in: home.database)
            #expect(names.count { $0.hasPrefix("data-") || $0.hasPrefix("blobs-") } == byHand.count + 1, "\(names)")
            #expect(!names.contains { $0.hasPrefix(".settee") }, "\(names)")
        }
    }

    /// The copy of the manifest used to be written under a lock that another thread's switch held through the same
    /// descriptor, which released it.
    @Test func mendingTheCopyLeavesTheLocksOfASwitchAlone() throws {
        let home = try TemporaryFolder()
        try home.makeDatabase()
        let folder = try DatabaseFolder.open(at: home.database)
        let copy = home.database + "/manifest-copy.json"
        let retired = try folder.switchGeneration { (data) throws(StorageError) in
            try write("generation 2", to: data + "/db")
        } beforeCommit: { () throws(StorageError) in
            // A folder prevents the copy from being replaced.
            do {
                try FileManager.default.removeItem(atPath: copy)
                try FileManager.default.createDirectory(atPath: copy + "/in/the/way", withIntermediateDirectories: true)
            } catch {
                throw StorageError(.fileSystem, "The test could not prepare.", cause: error)
            }
        }
        try FileManager.default.removeItem(atPath: copy)
        var refusal: StorageError?
        _ = try folder.switchGeneration { (data) throws(StorageError) in
            try write("generation 3", to: data + "/db")
        } beforeCommit: { () throws(StorageError) in
            try retired.delete()
            do throws(StorageError) {
                try DatabaseFolder.open(at: home.database, timeout: .milliseconds(20)).close()
            } catch {
                refusal = error
            }
        }
        #expect(refusal?.code == .inUse, "nobody opens while the generation changes")
    }
}
