import Foundation
import Settee
import SetteeStorageFiles
import SetteeTestSupport
import StorageProtocol
import Testing

@testable import SetteeEngine

/// What an engine declares is relied on, and checked before anything is dropped.
@Suite struct DeclaredCompactionTests {
    private func bed(_ change: (inout StorageCapabilities) -> Void) throws -> (TestDatabase, WrappedFactory) {
        let factory = WrappedFactory(.sqlite, change: change)
        let bed = try TestDatabase(.sqlite, wrapping: factory)
        for round in 0..<5 { try bed.database["a"].update { $0["round"] = .int(Int64(round)) } }
        try bed.database["b"].put([:])
        try bed.database["b"].purge()
        return (bed, factory)
    }

    /// The bodies of revisions that others have followed.
    private func oldBodies(_ bed: TestDatabase) throws -> Int {
        try bed.engine().read { (transaction) throws(StorageError) in
            var count = 0
            try transaction.revisionBodies { (_, _, _) throws(StorageError) in
                count += 1
                return true
            }
            return count
        }
    }

    @Test(arguments: Storage.everyPersistent)
    func aFullDiskDropsNothing(type: StorageType) throws {
        let bed = try TestDatabase(type)
        for round in 0..<5 { try bed.database["a"].update { $0["round"] = .int(Int64(round)) } }
        let before = try oldBodies(bed)
        #expect(before > 0)
        bed.database.compactor.space.measure { _ in 0 }
        expectError(.full) { try bed.database.compact() }
        #expect(try oldBodies(bed) == before)
        bed.database.compactor.space.measure { _ in .max }
        #expect(try bed.database.compact().bodiesRemoved == before)
        try bed.manager.close()
    }

    @Test func whoCannotCopyDropsNothing() throws {
        let (bed, _) = try bed { $0.canCopy = false }
        let before = try oldBodies(bed)
        expectError(.notImplemented) { try bed.database.compact() }
        #expect(try oldBodies(bed) == before && before > 0)
        let copy = bed.folder.url.appending(path: "copy")
        expectError(.notImplemented) { try bed.database.copy(to: copy) }
        expectError(.notImplemented) {
            try bed.manager.replaceDatabase(named: "other", from: URL(fileURLWithPath: try #require(bed.database.path)))
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: bed.folder.url.path) == ["test.settee"])
        try bed.manager.close()
    }

    @Test func noneDoesTheRestAndSaysSo() throws {
        for compaction in [StorageCompaction.none, StorageCompaction(rawValue: "of tomorrow")] {
            let (bed, factory) = try bed { $0.compaction = compaction }
            let opened = factory.opened
            let result = try bed.database.compact()
            #expect(result.bodiesRemoved == 4)
            #expect(result.rewritePrevented?.contains("not rewritten") == true)
            #expect(factory.opened == opened, "nothing was rewritten")
            try bed.manager.close()
        }
    }

    @Test func byItselfIsAskedToDoSo() throws {
        let (bed, factory) = try bed {
            $0.compaction = .byItself
            $0.sharing = .exclusive
        }
        let opened = factory.opened
        let result = try bed.database.compact()
        #expect(result.bodiesRemoved == 4 && result.rewritePrevented == nil)
        #expect(factory.compacted == 1 && factory.opened == opened)
        try bed.manager.close()
    }

    /// It would compact its files while another process reads them.
    @Test(arguments: [StorageSharing.multiProcess, .oneWriterManyReaders])
    func byItselfIsForThoseAlone(sharing: StorageSharing) throws {
        let path: String
        do {
            let (bed, _) = try bed { _ in }
            path = try #require(bed.database.path)
            try bed.manager.close()
            let factory = WrappedFactory(.sqlite) {
                $0.compaction = .byItself
                $0.sharing = sharing
            }
            let url = URL(fileURLWithPath: path)
            let error = #expect(throws: StorageError.self) { try Database.open(at: url, engines: [factory]) }
            #expect(error?.code == .notImplemented && error?.message.contains("by itself") == true)
            #expect(factory.opened == 0 && factory.authorized == 0)
            let other = url.deletingLastPathComponent().appending(path: "other.settee")
            expectError(.notImplemented) {
                try Database.open(at: other, options: DatabaseOptions(create: true), engines: [factory])
            }
            #expect(!FileManager.default.fileExists(atPath: other.path))
            try Database.open(at: url, engines: [Storage.factory(.sqlite)]).close()
        }
    }

    /// Like another process that has the folder open: the engine is not asked.
    @Test(arguments: [StorageSharing.exclusive, .oneWriterManyReaders])
    func whatIsNotSharedIsRefusedBeforeTheEngine(sharing: StorageSharing) throws {
        let (bed, factory) = try bed { $0.sharing = sharing }
        let path = try #require(bed.database.path)
        try bed.manager.close()
        let other = try DatabaseFolder.open(at: path, authorize: { (_, _) throws(StorageError) in sharing })
        let opened = factory.opened
        var options = DatabaseOptions(busyTimeout: .milliseconds(20))
        let error = #expect(throws: StorageError.self) {
            try Database.open(at: URL(fileURLWithPath: path), options: options, engines: [factory])
        }
        #expect(error?.code == .inUse)
        #expect(error?.message.contains("process \(ProcessInfo.processInfo.processIdentifier)") == true)
        #expect(factory.opened == opened, "the engine was asked")
        options.readOnly = true
        if sharing == .exclusive {
            expectError(.inUse) {
                try Database.open(at: URL(fileURLWithPath: path), options: options, engines: [factory])
            }
            #expect(factory.opened == opened)
        } else {
            try Database.open(at: URL(fileURLWithPath: path), options: options, engines: [factory]).close()
        }
        other.close()
        let database = try Database.open(at: URL(fileURLWithPath: path), engines: [factory])
        try database["c"].put([:])
        #expect(try database.compact().rewritePrevented == nil)
        try database["d"].put([:])
        try database.close()
    }
}
