import Foundation
import Settee
import SetteeProgramSupport
import SetteeTestSupport
import Testing

/// Prebuilt databases in place of others.
@Suite struct ReplaceDatabaseTests {
    /// A closed database folder of `type` with a document that identifies it.
    private func prebuilt(_ folder: TemporaryFolder, _ type: StorageType, says text: String = "prebuilt") throws -> URL
    {
        let url = folder.url.appending(path: "prebuilt-\(UUID().uuidString)")
        let database = try Database.open(at: url, options: .init(storageType: type, durability: .normal))
        try database["who"].put(["says": .string(text)])
        try database["_local/who"].put(["says": .string(text)])
        try database.close()
        return url
    }

    @Test(arguments: Storage.everyPlainPersistent) func itMakesADatabaseThatWasMissing(_ type: StorageType) throws {
        let folder = try TemporaryFolder()
        let source = try prebuilt(folder, type)
        let original = try Database.open(at: source)
        let uuid = try original.privateUUID
        let publicUUID = try original.publicUUID
        try original.close()
        let manager = try Manager(directory: folder.url.appending(path: "app"))
        try manager.replaceDatabase(named: "catalog", from: source)
        let database = try manager.database(named: "catalog", options: .init(create: false))
        #expect(try database["who"]["says"] == "prebuilt")
        #expect(try database["_local/who"]["says"] == "prebuilt")
        #expect(try database.privateUUID != uuid)
        #expect(try database.publicUUID != publicUUID)
        #expect(try database.previousPrivateUUID == uuid)
        #expect(try database.check().map(\.description) == [])
        #expect(manager.allDatabaseNamesOrEmpty == ["catalog"])
    }

    @Test(arguments: Storage.everyPlainPersistent) func itReplacesOneThatIsThereWhole(_ type: StorageType) throws {
        let bed = try TestDatabase(type)
        try bed.database["old"].put([:])
        _ = try bed.publishBlob("old attachment", sha1: 1)
        let before = try bed.database.privateUUID
        let number = try bed.database.statistics().uuid
        try bed.database.close()
        let sourceBed = try TestDatabase(type)
        try sourceBed.database["new"].put(["n": 1])
        let blob = try sourceBed.publishBlob("new attachment", sha1: 2)
        let source = URL(filePath: try #require(sourceBed.database.path))
        try sourceBed.database.close()

        try bed.manager.replaceDatabase(named: "test", from: source)
        let database = try bed.manager.database(named: "test")
        #expect(try database.allDocuments().ids() == ["new"])
        #expect(try database.privateUUID != before)
        #expect(try database.statistics().uuid != number)
        let path = URL(filePath: try #require(database.path))
        let names = try FileManager.default.contentsOfDirectory(atPath: path.path).sorted()
        #expect(
            names == [
                "blobs-000002", "data-000002", "gate", "holders", "lock", "manifest-copy.json", "manifest.json",
                "writer",
            ]
        )
        let copied = path.appending(path: "blobs-000002/\(blob.prefix(2))/\(blob)")
        #expect(try String(contentsOf: copied, encoding: .utf8) == "new attachment")
        #expect(try FileManager.default.contentsOfDirectory(atPath: path.path + "/blobs-000002").count == 1)
        // The source's file is not shared.
        let links = try FileManager.default.attributesOfItem(atPath: copied.path)[.referenceCount] as? Int
        #expect(links == 1)
    }

    @Test(arguments: Storage.everyPlainPersistent) func anOpenDatabaseIsNotReplaced(_ type: StorageType) throws {
        let bed = try TestDatabase(type)
        let path = try #require(bed.database.path)
        try bed.database["old"].put([:])
        let source = try prebuilt(bed.folder, type)
        expectError(.inUse) { try bed.manager.replaceDatabase(named: "test", from: source) }
        let other = try Manager(directory: bed.folder.url)
        expectError(.inUse) { try other.replaceDatabase(named: "test", from: source) }
        #expect(try bed.database["old"].exists)
        try bed.database.close()

        let child = try Conversation(["import", path, "-", "--report-batches"])
        try child.send((0...1000).map { #"{"_id":"other-\#($0)"}"# + "\n" }.joined())
        #expect(child.nextLine() == #"{"committed":1000}"#)
        do throws(StorageError) {
            try bed.manager.replaceDatabase(named: "test", from: source)
            Issue.record("It was replaced.")
        } catch {
            #expect(error.code == .inUse)
            #expect(error.message.contains("process \(child.identifier)"), "\(error.message)")
        }
        #expect(try child.finish() == 0)
        #expect(try bed.manager.database(named: "test").documentCount == 1002)
        try bed.manager.close()
        try bed.manager.replaceDatabase(named: "test", from: source)
        #expect(try bed.manager.database(named: "test").allDocuments().ids() == ["who"])
        #expect(try bed.manager.database(named: "test").check().map(\.description) == [])
    }

    @Test(arguments: Storage.plainShared) func theSourceIsOnlyRead(_ type: StorageType) throws {
        let folder = try TemporaryFolder()
        let source = try prebuilt(folder, type)
        let manager = try Manager(directory: folder.url.appending(path: "app"))
        let before = try files(of: source)
        try manager.replaceDatabase(named: "one", from: source)
        #expect(try files(of: source) == before)
        // A source that is in use is copied as it is at that moment.
        let open = try Database.open(at: source)
        try open["more"].put([:])
        try manager.replaceDatabase(named: "one", from: source)
        #expect(try manager.database(named: "one").documentCount == 2)
        try open["after"].put([:])
        #expect(try manager.database(named: "one").documentCount == 2)
        try open.close()
        let child = try Conversation(["import", source.path, "-", "--report-batches"])
        try child.send((0...1000).map { #"{"_id":"other-\#($0)"}"# + "\n" }.joined())
        #expect(child.nextLine() == #"{"committed":1000}"#)
        try manager.replaceDatabase(named: "two", from: source)
        #expect(try manager.database(named: "two").documentCount == 1003)
        #expect(try child.finish() == 0)
    }

    @Test(arguments: Storage.plainShared) func whatIsNotADatabaseChangesNothing(_ type: StorageType) throws {
        let bed = try TestDatabase(type)
        let manager = bed.manager
        try bed.database["old"].put([:])
        let path = URL(filePath: try #require(bed.database.path))
        try bed.database.close()
        let source = try prebuilt(bed.folder, type)
        let before = try files(of: path)
        let empty = bed.folder.url.appending(path: "empty")
        try FileManager.default.createDirectory(at: empty, withIntermediateDirectories: true)
        expectError(.unsupportedFormat) { try manager.replaceDatabase(named: "test", from: empty) }
        expectError(.notFound) {
            try manager.replaceDatabase(named: "test", from: bed.folder.url.appending(path: "missing"))
        }
        expectError(.badParameter) {
            try manager.replaceDatabase(named: "test", from: #require(URL(string: "https://example.org/db")))
        }
        expectError(.badRequest) { try manager.replaceDatabase(named: "test", from: path) }
        expectError(.badID) { try manager.replaceDatabase(named: "Bad", from: source) }
        let readOnly = try Manager(directory: bed.folder.url, options: .init(readOnly: true))
        expectError(.readOnly) { try readOnly.replaceDatabase(named: "test", from: source) }
        let memoryAlone = try Manager(directory: bed.folder.url, engines: [Storage.factory(.memory)])
        expectError(.invalidStorageType) { try memoryAlone.replaceDatabase(named: "test", from: source) }
        // Damage that the copying finds.
        let damaged = try prebuilt(bed.folder, type)
        let data = damaged.appending(path: "data-000001")
        let files = try FileManager.default.contentsOfDirectory(atPath: data.path)
        let file = try #require(files.first { $0 != "lock.mdb" })
        let handle = try FileHandle(forUpdating: data.appending(path: file))
        try handle.write(contentsOf: Data(repeating: 0xA5, count: 40_000))
        try handle.close()
        #expect(throws: StorageError.self) { try manager.replaceDatabase(named: "test", from: damaged) }
        #expect(throws: StorageError.self) { try manager.replaceDatabase(named: "fresh", from: damaged) }
        #expect(try self.files(of: path) == before)
        #expect(!manager.allDatabaseNamesOrEmpty.contains("fresh"))
    }

    @Test func aDatabaseInMemoryIsInTheWay() throws {
        let bed = try TestDatabase(.memory)
        let manager = try Manager(directory: bed.folder.url, options: .init(storageType: .memory))
        let source = try prebuilt(bed.folder, .sqlite)
        let database = try manager.database(named: "test")
        expectError(.inUse) { try manager.replaceDatabase(named: "test", from: source) }
        try database.close()
        try manager.replaceDatabase(named: "test", from: source)
        #expect(try manager.database(named: "test").storageType == .sqlite)
    }

    /// The files of a folder and what they hold.
    private func files(of url: URL) throws -> [String: String] {
        try listing(of: url)
    }
}

extension Manager {
    var allDatabaseNamesOrEmpty: [String] { (try? allDatabaseNames) ?? [] }
}
