import Foundation
import Settee
import SetteeTestSupport
import Testing

/// Managers that only read: whatever is called, nothing in the directory changes.
@Suite struct ReadOnlyManagerTests {
    /// A reader's part of SQLite's shared memory takes 32 KiB, which a full disk does not have: readers used to be
    /// refused with 507. In a process of its own, whose files may not grow.
    @Test(arguments: [4, 8, 16, 28, 32]) func aFullDiskKeepsNoReaderOut(kibibytes: Int) async {
        await #expect(processExitsWith: .success) { [kibibytes] in
            let folder = try TemporaryFolder()
            let content = [UInt8](repeating: 7, count: 100_000)
            do {
                let manager = try Manager(directory: folder.url, options: .init(storageType: .sqlite))
                try manager.database(named: "test")["a"].setAttachment(named: "x", content: content)
                try manager.close()
            }
            limitFiles(to: kibibytes << 10)
            for _ in 0..<2 {
                let manager = try Manager(directory: folder.url, options: .init(readOnly: true))
                let database = try manager.database(named: "test")
                guard try database["a"].read().attachment(named: "x")?.content() == content else { exit(2) }
                guard try database.check().isEmpty else { exit(3) }
                try manager.close()
            }
            limitFiles(to: .max)
            let manager = try Manager(directory: folder.url)
            try manager.database(named: "test")["b"].put([:])
            try manager.close()
        }
    }

    @Test(arguments: Storage.everyPlainPersistent) func everyWriteIsRefusedAndNothingChanges(_ type: StorageType) throws
    {
        let bed = try TestDatabase(type)
        let written = bed.database
        try written["a"].put(["n": 1])
        try written["a"].update { $0["n"] = 2 }
        try written["_local/l"].put([:])
        try written["a"].setExpiration(Date(timeIntervalSinceNow: 3600))
        try written.info.set("1", for: "k")
        let revision = try #require(try written["a"].revision())
        try written.close()
        let source = bed.folder.url.appending(path: "prebuilt")
        try Database.open(at: source).close()

        let before = try files(of: bed)
        let manager = try Manager(directory: bed.folder.url, options: .init(readOnly: true))
        let database = try manager.database(named: "test")
        #expect(database.isReadOnly)
        let a = database["a"]
        for write: () throws -> Void in [
            { try a.put(["n": 3], parent: revision.id) },
            { try database["b"].put([:]) },
            { try a.update { $0["n"] = 4 } },
            { try a.delete() },
            { try a.purge() },
            { try a.setExpiration(nil) },
            { try a.expires(in: 1) },
            { try database["_local/l"].put([:]) },
            { try database["_local/l"].delete() },
            { try database.inTransaction {} },
            { try database.compact() },
            { try database.purgeExpiredDocuments() },
            { try database.info.set("2", for: "k") },
            { try database.info.remove("k") },
            { try manager.deleteDatabase(named: "test") },
            { try manager.replaceDatabase(named: "test", from: source) },
            { try manager.replaceDatabase(named: "other", from: source) },
        ] {
            expectError(.readOnly) { try write() }
        }
        expectError(.notFound) { try manager.database(named: "other") }
        expectError(.notFound) { try manager.database(named: "other", options: .init(storageType: .memory)) }

        // Reads everything.
        #expect(try a["n"] == 2)
        #expect(try database.allDocuments().ids() == ["a"])
        #expect(try database.changes(since: 0).ids() == ["a"])
        #expect(try database["_local/l"].exists)
        #expect(try database.info["k"] == "1")
        #expect(try UUID(uuidString: database.publicUUID) != nil)
        #expect(try a.expiration != nil)
        #expect(try database.check().map(\.description) == [])
        #expect(try database.spaceReport().bodies == 7)
        #expect(try database.read { try $0.documentCount } == 1)
        try manager.close()
        #expect(try files(of: bed) == before)
    }

    /// Expired documents stay until a writer opens the database.
    @Test(arguments: Storage.everyPlainPersistent) func noTimerRuns(_ type: StorageType) throws {
        let bed = try TestDatabase(type)
        try bed.database["a"].put([:])
        try bed.database["a"].expires(in: 0.3)
        try bed.database.close()
        let database = try Manager(directory: bed.folder.url, options: .init(readOnly: true)).database(named: "test")
        let end = ContinuousClock.now + .milliseconds(500)
        while ContinuousClock.now < end { #expect(try database["a"].exists) }
        try database.close()
        try bed.reopen()
        #expect(try bed.database["a"].revision() == nil)
    }

    /// A missing directory is not created.
    @Test func aMissingDirectoryIsEmpty() throws {
        let folder = try TemporaryFolder()
        let url = folder.url.appending(path: "missing")
        let manager = try Manager(directory: url, options: .init(readOnly: true))
        #expect(try manager.allDatabaseNames == [])
        expectError(.notFound) { try manager.database(named: "test") }
        #expect(!FileManager.default.fileExists(atPath: url.path))
    }

    /// All files. A reader only has an entry in `holders` while it reads.
    private func files(of bed: TestDatabase) throws -> [String: String] {
        try listing(of: bed.folder.url)
    }
}
