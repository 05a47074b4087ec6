import Foundation
import Settee
import SetteeSystemLibrary
import SetteeTestSupport
import Testing

/// Storage types, read-only managers and databases in memory.
@Suite struct ManagerOptionsTests {
    @Test func theDefaultStorageTypeIsSQLite() async {
        await #expect(processExitsWith: .success) {
            unsafe unsetenv("SETTEE_STORAGE_TYPE")
            let folder = try TemporaryFolder()
            let database = try Manager(directory: folder.url).database(named: "x")
            #expect(database.storageType == .sqlite)
        }
    }

    @Test func theEnvironmentNamesTheTypeOfNewDatabases() async {
        await #expect(processExitsWith: .success) {
            let folder = try TemporaryFolder()
            unsafe setenv("SETTEE_STORAGE_TYPE", "memory", 1)
            let manager = try Manager(directory: folder.url)
            #expect(try manager.database(named: "x").storageType == .memory)
            // The options of the call or the manager take precedence.
            #expect(try manager.database(named: "y", options: .init(storageType: .sqlite)).storageType == .sqlite)
            let sqlite = try Manager(directory: folder.url, options: .init(storageType: .sqlite))
            #expect(try sqlite.database(named: "z").storageType == .sqlite)
            unsafe setenv("SETTEE_STORAGE_TYPE", "", 1)
            #expect(try manager.database(named: "w").storageType == .sqlite)
        }
    }

    @Test func aTypeThatIsNoneInTheEnvironmentRefusesNewDatabasesOnly() async {
        await #expect(processExitsWith: .success) {
            let folder = try TemporaryFolder()
            let manager = try Manager(directory: folder.url)
            try manager.database(named: "old", options: .init(storageType: .sqlite)).close()
            for name in ["Not a type", "floppy"] {
                unsafe setenv("SETTEE_STORAGE_TYPE", name, 1)
                expectError(.invalidStorageType) { try manager.database(named: "new") }
                #expect(try manager.existingDatabase(named: "new") == nil)
                #expect(try manager.database(named: "other\(name.count)", options: .init(storageType: .sqlite)).isOpen)
                #expect(try manager.database(named: "old").storageType == .sqlite)
            }
        }
    }

    @Test func theDefaultDirectoryFollowsTheEnvironment() async {
        #if !canImport(Darwin)
        await #expect(processExitsWith: .success) {
            let folder = try TemporaryFolder()
            unsafe setenv("XDG_DATA_HOME", folder.url.path, 1)
            #expect(Manager.defaultDirectory.path == folder.url.appending(path: "Settee").path)
            let manager = try Manager.shared
            #expect(try Manager.shared === manager)
            #expect(try Manager(directory: manager.directory).directory == manager.directory)
            #expect(manager.directory.path == folder.url.appending(path: "Settee").path)
            try manager.database(named: "x")["y"].put([:])
            unsafe setenv("XDG_DATA_HOME", "relative", 1)
            #expect(Manager.defaultDirectory.path.hasSuffix("/.local/share/Settee"))
        }
        #endif
    }

    @Test func anExistingDatabaseIsOpenedByTheEngineThatMadeIt() throws {
        let folder = try TemporaryFolder()
        try Manager(directory: folder.url).database(named: "x", options: .init(storageType: .sqlite)).close()
        // A manager's default only applies to new databases.
        let manager = try Manager(directory: folder.url, options: .init(storageType: .memory))
        let database = try manager.database(named: "x")
        #expect(database.storageType == .sqlite)
        try manager.close()
    }

    @Test func anotherStorageTypeForAnExistingDatabaseIsRefused() throws {
        let folder = try TemporaryFolder()
        let manager = try Manager(directory: folder.url, options: .init(storageType: .sqlite))
        for isOpen in [true, false] {
            let database = try manager.database(named: "disk")
            if !isOpen { try database.close() }
            expectError(.invalidStorageType) {
                try manager.database(named: "disk", options: .init(storageType: .memory))
            }
            expectError(.invalidStorageType) {
                try manager.database(named: "disk", options: .init(storageType: .lmdb, onMismatch: .fail))
            }
        }
        let memory = try manager.database(named: "ram", options: .init(storageType: .memory))
        expectError(.invalidStorageType) { try manager.database(named: "ram", options: .init(storageType: .sqlite)) }
        #expect(try manager.database(named: "ram") === memory)
        try manager.close()
    }

    @Test func typesWithoutAnEngineAreRefused() throws {
        let folder = try TemporaryFolder()
        let manager = try Manager(directory: folder.url)
        for type in [try StorageType("tape"), try StorageType("floppy")] {
            expectError(.invalidStorageType) { try manager.database(named: "x", options: .init(storageType: type)) }
        }
        #expect(try manager.allDatabaseNames == [])
        let onlyMemory = try Manager(directory: folder.url, engines: [Storage.factory(.memory)])
        expectError(.invalidStorageType) { try onlyMemory.database(named: "x", options: .init(storageType: .sqlite)) }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == [])
    }

    @Test(arguments: Storage.plainPersistent) func aReadOnlyManagerWritesNothing(_ type: StorageType) throws {
        let folder = try TemporaryFolder()
        let writable = try Manager(directory: folder.url, options: .init(storageType: type))
        let saved = try writable.database(named: "x")["doc"].put(["n": 1])
        try writable.close()

        let manager = try Manager(directory: folder.url, options: .init(storageType: type, readOnly: true))
        let database = try manager.database(named: "x")
        #expect(database.isReadOnly)
        try expectNothingCanBeWritten(to: database, holding: saved)
        expectError(.readOnly) { try manager.deleteDatabase(named: "x") }
        expectError(.notFound) { try manager.database(named: "new") }
        #expect(try manager.existingDatabase(named: "new") == nil)
        #expect(try manager.allDatabaseNames == ["x"])
        expectError(.inUse) { try writable.database(named: "x") }
        try manager.close()
        #expect(try writable.database(named: "x")["doc"].put(["n": 2], parent: saved.id).id.generation == 2)
        try writable.close()
    }

    @Test(arguments: Storage.plainPersistent) func aReadOnlyDatabaseWritesNothing(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let saved = try bed.database["doc"].put(["n": 1])
            try bed.database.close()
            let database = try bed.manager.database(named: "test", options: .init(readOnly: true))
            try expectNothingCanBeWritten(to: database, holding: saved)
            try database.close()
            expectError(.notFound) { try bed.manager.database(named: "new", options: .init(readOnly: true)) }
        }
    }

    private func expectNothingCanBeWritten(to database: Database, holding saved: SavedRevision) throws {
        let document = database["doc"]
        expectError(.readOnly) { try document.put(["n": 2], parent: saved.id) }
        expectError(.readOnly) { try document.update { $0["n"] = 2 } }
        expectError(.readOnly) { try document.delete() }
        expectError(.readOnly) { try document.purge() }
        expectError(.readOnly) { try database["new"].put([:]) }
        expectError(.readOnly) { try database["_local/x"].put([:]) }
        expectError(.readOnly) { try database.inTransaction {} }
        expectError(.readOnly) { try database.compact() }
        #expect(try document.read().text == #"{"n":1}"#)
        #expect(try database.allDocuments().ids() == ["doc"])
        #expect(try database.lastSequence == 1)
        #expect(try database.check().map(\.description) == [])
    }

    @Test func aReadOnlyManagerNeedsNoDirectory() throws {
        let folder = try TemporaryFolder()
        let missing = folder.url.appending(path: "missing")
        let manager = try Manager(directory: missing, options: .init(readOnly: true))
        #expect(try manager.allDatabaseNames == [])
        #expect(try manager.existingDatabase(named: "x") == nil)
        #expect(!FileManager.default.fileExists(atPath: missing.path))
    }

    @Test func databasesInMemoryLiveWithTheirManager() throws {
        let folder = try TemporaryFolder()
        let manager = try Manager(directory: folder.url, options: .init(storageType: .memory))
        do { try manager.database(named: "x")["doc"].put([:]) }
        #expect(try manager.database(named: "x").documentCount == 1)
        #expect(try manager.database(named: "x").path == nil)
        let other = try Manager(directory: folder.url, options: .init(storageType: .memory))
        #expect(try other.existingDatabase(named: "x") == nil)
        #expect(try other.database(named: "x").documentCount == 0)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == [])
        expectError(.invalidStorageType) {
            try Database.open(at: folder.url.appending(path: "y"), options: .init(storageType: .memory))
        }
    }
}
