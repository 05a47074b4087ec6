import Foundation
import Settee
import SetteeTestSupport
import Testing

@testable import SetteeEngine

/// Several openings of one database in one process: the options of each apply to the handle that it returns.
@Suite struct HandleTests {
    private func withBoth(_ type: StorageType, _ body: (TestDatabase, Manager, Database) throws -> Void) throws {
        let bed = try TestDatabase(type)
        try bed.database["a"].put(["n": 1])
        let manager = try Manager(directory: bed.folder.url, options: .init(readOnly: true))
        try body(bed, manager, manager.database(named: "test"))
        try manager.close()
        try bed.manager.close()
    }

    /// A read-only manager used to return the writable database that the process had open.
    @Test(arguments: Storage.everyPlainPersistent) func aReadOnlyManagerNeverWrites(_ type: StorageType) throws {
        try withBoth(type) { bed, manager, reader in
            let writer = bed.database
            #expect(reader !== writer)
            #expect(reader.isReadOnly && !writer.isReadOnly)
            let current = try writer["a"].read().id
            let writes: [() throws -> Void] = [
                { try reader["a"].put(["n": 2], parent: current) },
                { try reader["b"].put([:]) },
                { try reader["a"].update { $0["n"] = 2 } },
                { try reader["a"].delete() },
                { try reader["a"].purge() },
                { try reader["a"].setExpiration(Date()) },
                { try reader["_local/x"].put([:]) },
                { try reader["a"].forceInsert([:], history: [RevisionID("2-b")]) },
                { try reader["a"].setAttachment(named: "x", content: .bytes([1])) },
                { try reader.inTransaction {} },
                { try reader.info.set("x", for: "y") },
                { try reader.purgeExpiredDocuments() },
                { try reader.setMaxRevTreeDepth(3) },
                { try reader.compact() },
            ]
            for (number, write) in writes.enumerated() {
                expectError(.readOnly, "write \(number)") { try write() }
                try writer.inTransaction {
                    expectError(number == 13 ? .callback : .readOnly, "write \(number) inside") { try write() }
                }
            }
            // What a read-only handle returns cannot write either.
            expectError(.readOnly) { try reader["a"].read().newRevision().save() }
            expectError(.readOnly) { try reader.allDocuments().rows()[0].document.delete() }
            expectError(.readOnly) { try reader["a"].read().document.delete() }
            #expect(try reader["a"]["n"] == 1)
            try writer["a"].update { $0["n"] = 2 }
            #expect(try reader["a"]["n"] == 2)
            try writer.inTransaction {
                try writer["a"].update { $0["n"] = 3 }
                #expect(try reader["a"]["n"] == 3, "It is the same thread's transaction.")
            }
            #expect(try manager.database(named: "test") === reader)
            let url = URL(filePath: try #require(writer.path))
            #expect(try Database.open(at: url, options: .init(readOnly: true)) === reader)
            #expect(try bed.manager.database(named: "test") === writer)
        }
    }

    @Test(arguments: Storage.everyPlainPersistent) func aReadOnlyHandleEndsAlone(_ type: StorageType) throws {
        try withBoth(type) { bed, manager, reader in
            let writer = bed.database
            try reader.close()
            try reader.close()
            #expect(!reader.isOpen)
            expectError(.notOpen) { try reader["a"].read() }
            expectError(.notOpen) { try reader.documentCount }
            try writer["b"].put([:])
            let again = try manager.database(named: "test")
            #expect(again !== reader)
            #expect(try again.documentCount == 2)
            try manager.close()
            #expect(!again.isOpen && writer.isOpen)
            let last = try manager.database(named: "test")
            try writer.close()
            #expect(!last.isOpen)
            expectError(.notOpen) { try last.documentCount }
            #expect(try manager.database(named: "test").documentCount == 2, "Alone now.")
        }
    }

    @Test(arguments: Storage.everyPlainPersistent) func aHandleKeepsTheFilesOpen(_ type: StorageType) throws {
        let folder = try TemporaryFolder()
        let path = folder.url.appending(path: "db")
        var writer: Database? = try Database.open(at: path, options: .init(storageType: type, durability: .normal))
        try writer?["a"].put([:])
        let reader = try Database.open(at: path, options: .init(readOnly: true))
        writer = nil
        #expect(try reader.documentCount == 1)
        let next = try Database.open(at: path)
        try next["b"].put([:])
        #expect(try reader.documentCount == 2)
        try next.close()
        #expect(!reader.isOpen)
    }

    /// The second opening got the first one's durability: commits that a loss of power may undo.
    @Test(arguments: Storage.everyPlainPersistent) func whoAsksForFullDurabilityGetsIt(_ type: StorageType) throws {
        let bed = try TestDatabase(type)
        let database = bed.database
        func stored() throws -> String? {
            try bed.engine().statistics().details.first { $0.name == "durability" }?.value
        }
        #expect(database.durability == .normal)
        #expect(try stored() == "normal")
        _ = try bed.manager.database(named: "test", options: .init(readOnly: true))
        #expect(try stored() == "normal")
        try database.inTransaction {
            let full = try bed.manager.database(named: "test", options: .init(durability: .full))
            #expect(full.durability == .full)
            try full["a"].put([:])
        }
        #expect(try stored() == "full")
        #expect(database.durability == .full)
        #expect(try bed.manager.database(named: "test", options: .init(durability: .normal)).durability == .full)
        try database["b"].put([:])
        try database.compact()
        #expect(try stored() == "full", "Also in the files that took their place.")
        try database.close()
        let again = try bed.manager.database(named: "test", options: TestDatabase.options)
        #expect(again.durability == .normal)
        #expect(try again.documentCount == 2)
        try bed.manager.close()
    }

    @Test(arguments: Storage.everyPlain) func otherOptionsHoldForTheHandle(_ type: StorageType) throws {
        let bed = try TestDatabase(type)
        let database = bed.database
        let options = DatabaseOptions(busyTimeout: .milliseconds(1), mappingThreads: 1)
        let other = try bed.manager.database(named: "test", options: options)
        #expect(other !== database)
        #expect(other.busyTimeout == .milliseconds(1) && other.mappingThreads == 1)
        #expect(database.busyTimeout == .seconds(10))
        #expect(try bed.manager.database(named: "test", options: options) === other)
        try database.inTransaction {
            try database["a"].put([:])
            try other["b"].put([:])
            #expect(try other.documentCount == 2)
        }
        expectError(.invalidStorageType) {
            try bed.manager.database(named: "test", options: .init(storageType: type == .memory ? .sqlite : .memory))
        }
        if type != .lmdb {
            #expect(throws: StorageError.self) {
                try bed.manager.database(named: "test", options: .init(compression: .lz4))
            }
        }
        try other.close()
        #expect(!database.isOpen, "Both write.")
        try bed.manager.close()
    }
}
