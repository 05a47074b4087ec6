import Foundation
import Settee
import SetteeTestSupport
import Synchronization
import Testing

/// After `close` or deletion every call throws; nothing traps, nothing hangs.
@Suite struct ClosingTests {
    private func calls(_ database: Database) -> [@Sendable () throws -> Void] {
        let document = database["x"]
        return [
            { _ = try document.read() }, { _ = try document.revision() }, { try document.put([:]) },
            { try document.delete() },
            { try document.update { $0["n"] = 1 } }, { try document.purge() }, { _ = try document.exists },
            { _ = try database.existingDocument("x") }, { try database["_local/x"].put([:]) },
            { _ = try database["_local/x"].revision() }, { _ = try database.documentCount },
            { _ = try database.lastSequence }, { try database.inTransaction {} }, { try database.read { _ in } },
            { _ = try database.allDocuments().rows() }, { _ = try database.changes(since: 0).rows() },
            { _ = try database.check() }, { _ = try database.compact() },
        ]
    }

    @Test(arguments: Storage.all) func afterCloseEveryCallIsRefused(_ type: StorageType) throws {
        let bed = try TestDatabase(type)
        let database = bed.database
        try database["x"].put([:])
        #expect(database.isOpen)
        try database.close()
        #expect(!database.isOpen)
        for (number, call) in calls(database).enumerated() { expectError(.notOpen, "call \(number)", call) }
        try database.close()
        #expect(database.name == "test")
    }

    @Test(arguments: Storage.everyPlain) func afterDeletionEveryCallIsRefused(_ type: StorageType) throws {
        let bed = try TestDatabase(type)
        let database = bed.database
        try database["x"].put([:])
        try bed.manager.deleteDatabase(named: "test")
        #expect(!database.isOpen)
        for (number, call) in calls(database).enumerated() { expectError(.notOpen, "call \(number)", call) }
        expectError(.notFound) { try bed.manager.deleteDatabase(named: "test") }
        // The name is free for a new database, which is unrelated to the old handle.
        let fresh = try bed.manager.database(named: "test")
        #expect(fresh !== database)
        try fresh["x"].put([:])
        expectError(.notOpen) { try database["x"].read() }
        try bed.manager.close()
    }

    @Test(arguments: Storage.persistent) func anotherManagersDatabaseIsDeletedToo(_ type: StorageType) throws {
        let bed = try TestDatabase(type)
        try Manager(directory: bed.folder.url).deleteDatabase(named: "test")
        expectError(.notOpen) { try bed.database["x"].put([:]) }
        #expect(try FileManager.default.contentsOfDirectory(atPath: bed.folder.url.path) == [])
    }

    @Test(arguments: Storage.all) func closingInsideAnOwnTransactionIsAnError(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let database = bed.database
            try database.inTransaction {
                try database["x"].put([:])
                expectError(.callback) { try database.close() }
                expectError(.callback) { try bed.manager.deleteDatabase(named: "test") }
                expectError(.callback) { try bed.manager.close() }
            }
            try database.read { _ in
                expectError(.callback) { try database.close() }
                expectError(.callback) { try bed.manager.deleteDatabase(named: "test") }
            }
            #expect(database.isOpen)
            #expect(try database.documentCount == 1)
        }
    }

    @Test(arguments: Storage.all) func closingWaitsForReaders(_ type: StorageType) throws {
        let bed = try TestDatabase(type)
        let database = bed.database
        for number in 0..<20 { try database["d\(number)"].put(["n": .int(Int64(number))]) }
        let isReading = Gate()
        let isClosing = Gate()
        let isDone = Atomic(false)
        let reader = Background {
            try database.read { (snapshot) throws in
                isReading.open()
                isClosing.wait()
                while database.isOpen {}
                // What was begun is finished.
                for number in 0..<20 { #expect(try snapshot.revision(of: "d\(number)")?["n"] == .int(Int64(number))) }
                #expect(try database.allDocuments().rows().count == 20)
                isDone.store(true, ordering: .sequentiallyConsistent)
            }
            expectError(.notOpen) { try database["d1"].read() }
        }
        isReading.wait()
        isClosing.open()
        try database.close()
        let waited = isDone.load(ordering: .sequentiallyConsistent)
        #expect(waited)
        try reader.join()
    }

    @Test(arguments: Storage.all) func deletionWaitsForReaders(_ type: StorageType) throws {
        let bed = try TestDatabase(type)
        let database = bed.database
        try database["x"].put([:])
        let isReading = Gate()
        let reader = Background {
            try database.read { (snapshot) throws in
                isReading.open()
                while database.isOpen {}
                #expect(try snapshot.documentCount == 1)
            }
        }
        isReading.wait()
        try bed.manager.deleteDatabase(named: "test")
        try reader.join()
        #expect(try FileManager.default.contentsOfDirectory(atPath: bed.folder.url.path) == [])
    }

    @Test(arguments: Storage.everyPlain) func closingWaitsForTheWriter(_ type: StorageType) throws {
        let bed = try TestDatabase(type)
        let database = bed.database
        let isWriting = Gate()
        let isClosing = Gate()
        let writer = Background {
            try database.inTransaction {
                try database["x"].put([:])
                isWriting.open()
                isClosing.wait()
                try database["y"].put([:])
            }
        }
        isWriting.wait()
        let closer = Background {
            isClosing.open()
            try database.close()
        }
        try writer.join()
        try closer.join()
        #expect(!database.isOpen)
        if bed.isPersistent {
            #expect(try bed.manager.database(named: "test").documentCount == 2)
            try bed.manager.close()
        }
    }

    /// A transaction that opens another database must not wait for a deletion that waits for the transaction.
    @Test(.timeLimit(.minutes(5)), arguments: Storage.everyPlain)
    func deletionDoesNotHoldUpOpening(_ type: StorageType) throws {
        let bed = try TestDatabase(type)
        let database = bed.database
        let manager = bed.manager
        let isWriting = Gate()
        let hasDeleted = Atomic(false)
        let writer = Background {
            try database.inTransaction {
                isWriting.open()
                for number in 0..<200 {
                    let other = try manager.database(named: "other\(number % 3)", options: TestDatabase.options)
                    if number % 4 == 0 { try other.close() }
                }
                let deleted = hasDeleted.load(ordering: .sequentiallyConsistent)
                #expect(!deleted)
            }
        }
        isWriting.wait()
        let deleter = Background {
            try manager.deleteDatabase(named: "test")
            hasDeleted.store(true, ordering: .sequentiallyConsistent)
        }
        // Blocked threads cannot be joined.
        try #require(writer.ends(within: 120))
        try #require(deleter.ends(within: 120))
        try writer.join()
        try deleter.join()
        try manager.close()
    }

    @Test(arguments: Storage.everyPlainPersistent) func openingRightAfterClosingGivesOneDatabase(
        _ type: StorageType
    ) throws {
        let bed = try TestDatabase(type)
        try bed.database.close()
        let manager = bed.manager
        try onThreads(4) { number in
            for round in 0..<25 {
                let database = try manager.database(named: "test", options: TestDatabase.options)
                do throws(StorageError) {
                    try database["t\(number)-\(round)"].put([:])
                    let again = try manager.database(named: "test", options: TestDatabase.options)
                    #expect(again === database || !database.isOpen)
                } catch {
                    #expect(error.code == .notOpen)
                }
                if (round + number) % 5 == 0 { try database.close() }
            }
        }
        let database = try manager.database(named: "test")
        #expect(try database.check().map(\.description) == [])
        try manager.close()
    }

    /// The last reference may be released on one thread while another opens: there are never two databases on one
    /// folder.
    @Test(arguments: Storage.everyPlainPersistent) func lettingGoAndOpeningGivesOneDatabase(_ type: StorageType) throws
    {
        let bed = try TestDatabase(type)
        try bed.database.close()
        let manager = bed.manager
        try onThreads(4) { number in
            for round in 0..<25 {
                let database = try manager.database(named: "test", options: TestDatabase.options)
                try database["t\(number)-\(round)"].put([:])
                #expect(try manager.database(named: "test", options: TestDatabase.options) === database)
            }
        }
        #expect(try manager.database(named: "test").documentCount == 100)
        try manager.close()
    }
}
