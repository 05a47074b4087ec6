import Foundation
import Settee
import SetteeStorageFiles
import SetteeTestSupport
import StorageConformance
import StorageProtocol
import Testing

@testable import SetteeEngine

/// What is refused or fails leaves the database as it was.
@Suite struct RefusedConversionTests {
    @Test func nothingIsDecryptedWithoutTheWord() throws {
        let bed = try ConversionFixture()
        let database = try bed.make(.sqlcipher)
        try bed.fill(database)
        let before = try bed.generations()
        for type in [StorageType.sqlite, .lmdb] {
            expectError(.badRequest) { try database.convert(to: type) }
            expectError(.badRequest) { _ = try database.conversionPlan(to: type) }
        }
        expectError(.badRequest) { try database.convert(to: .sqlite, key: EncryptedFixture.key(), decrypt: true) }
        expectError(.badRequest) { try database.convert(to: .sqlcipher, decrypt: true) }
        expectError(.notImplemented) { try database.convert(to: .lmdb, key: EncryptedFixture.key()) }
        try database.convert(to: .sqlcipher)
        #expect(try bed.generations() == before, "it is so already")
        #expect(try database.statistics().isEncrypted)
    }

    @Test func typesThatCannotBe() throws {
        let bed = try ConversionFixture()
        let database = try bed.make(.sqlite)
        expectError(.invalidStorageType) { try database.convert(to: .memory) }
        expectError(.invalidStorageType) { try database.convert(to: StorageType("tape")) }
        expectError(.badRequest) { try database.convert(to: .sqlcipher) }
        expectError(.notImplemented) { try database.convert(to: .lmdb, key: EncryptedFixture.key()) }
        let memory = try bed.bed.open("ram", .memory, key: nil)
        expectError(.notImplemented) { try memory.convert(to: .sqlite) }
        let alone = try Manager(directory: bed.bed.folder.url, engines: [Storage.factory(.sqlite)])
        let other = try alone.database(named: "other")
        expectError(.invalidStorageType) { try other.convert(to: .lmdb) }
    }

    @Test(arguments: [StorageType.lmdb, .sqlcipher])
    func whatStandsInTheWayIsSaidBefore(target: StorageType) throws {
        let bed = try ConversionFixture()
        let database = try bed.make(.sqlite)
        try bed.fill(database)
        let before = (try bed.generations(), try bed.export(database))
        func refuse(_ code: StorageError.Code) {
            expectError(code) { try ConversionFixture.convert(database, to: target) }
        }
        database.compactor.space.measure { _ in 10_000 }
        refuse(.full)
        let plan = try database.conversionPlan(to: target, key: Storage.key(target))
        #expect(!plan.hasRoom && plan.isNeeded && plan.bytesFree == 10_000)
        database.compactor.space.measure { _ in nil }
        let other = try DatabaseFolder.open(at: bed.bed.path(), readOnly: true)
        refuse(.inUse)
        other.close()
        try database.read { _ in refuse(.callback) }
        try database.inTransaction { refuse(.callback) }
        let reader = try bed.bed.open(key: nil, readOnly: true)
        expectError(.readOnly) { try ConversionFixture.convert(reader, to: target) }
        #expect(try bed.generations() == before.0)
        #expect(try bed.export(database) == before.1)
        #expect(database.storageType == .sqlite)
    }

    @Test func othersAreKeptAwayMeanwhile() throws {
        let bed = try ConversionFixture()
        let database = try bed.make(.sqlite)
        try bed.fill(database)
        var refusals = 0
        try database.convert(to: .lmdb) { progress in
            guard progress.phase == .data, refusals == 0 else { return }
            refusals += 1
            expectError(.inUse) {
                _ = try DatabaseFolder.open(at: bed.bed.path(), readOnly: true, timeout: .milliseconds(50))
            }
        }
        #expect(refusals == 1)
        try DatabaseFolder.open(at: bed.bed.path(), readOnly: true).close()
    }

    /// A lost or damaged attachment is not silently left behind.
    @Test func damageIsFound() throws {
        let bed = try ConversionFixture()
        let database = try bed.make(.sqlite)
        try bed.fill(database)
        let root = bed.bed.path() + "/blobs-000001"
        let names = try FileManager.default.subpathsOfDirectory(atPath: root).filter { $0.count > 64 }
        let file = URL(filePath: root + "/" + (try #require(names.first)))
        let content = try Data(contentsOf: file)
        try FileManager.default.removeItem(at: file)
        expectError(.corrupt) { try database.convert(to: .lmdb) }
        expectError(.corrupt) { try database.convert(to: .sqlcipher, key: EncryptedFixture.key()) }
        #expect(try bed.generations() == ["blobs-000001", "data-000001"])
        try content.write(to: file)
        try database.convert(to: .lmdb)
        #expect(try database.check().map(\.description) == [])
    }

    /// Every call of the new engine fails once: the database is as it was, and nothing is left behind.
    @Test(arguments: [(StorageType.sqlite, StorageType.lmdb), (.lmdb, .sqlite), (.sqlite, .sqlcipher)])
    func everyCallFailsOnce(source: StorageType, target: StorageType) throws {
        let isLong = ProcessInfo.processInfo.environment["SETTEE_STRESS"] != nil
        let faults = FaultPlan()
        let folder = try TemporaryFolder()
        let engines: [any StorageEngineFactory] = [
            FaultInjectingEngineFactory(Storage.factory(source), faults: faults),
            FaultInjectingEngineFactory(Storage.factory(target), faults: faults),
        ]
        let manager = try Manager(directory: folder.url, options: .init(storageType: source), engines: engines)
        let database = try manager.database(
            named: "test",
            options: DatabaseOptions(durability: .normal, key: Storage.key(source), compactionThreshold: nil)
        )
        let bed = try ConversionFixture()
        try bed.fill(database, documents: 30)
        let before = (try bed.contents(database), try database.counters())
        var call = 0
        while true {
            call += isLong ? 1 : 17
            faults.arm(failingCall: call, with: StorageError(call % 2 == 0 ? .storage : .full, "Injected."))
            var failure: StorageError?
            do { try ConversionFixture.convert(database, to: target) } catch let error as StorageError {
                failure = error
            }
            let failed = faults.failedCall
            faults.disarm()
            // A failure after the switch undoes nothing.
            if database.storageType == target {
                #expect(failure == nil || failed != nil)
                break
            }
            #expect(failure?.message == "Injected." || failed != nil, "call \(call), \(failed ?? "")")
            let names = try FileManager.default.contentsOfDirectory(atPath: try #require(database.path))
            let generations = names.filter { $0.hasPrefix("data-") || $0.hasPrefix("blobs-") }
            #expect(generations.count == 2, "call \(call), \(failed ?? "")")
            #expect(try bed.contents(database).difference(from: before.0) == nil, "call \(call), \(failed ?? "")")
            #expect(try database.counters() == before.1)
            try #require(call < 20_000, "it never ran through")
        }
        // A call on a background thread may fail instead of the conversion's, which then completes.
        #expect(call > 50)
        #expect(try bed.contents(database).withoutNames.difference(from: before.0.withoutNames) == nil)
        #expect(try database.check().map(\.description) == [])
        try manager.close()
    }

    @Test func aCancelledTaskEndsIt() async throws {
        let bed = try ConversionFixture()
        let database = try bed.make(.sqlite)
        try bed.fill(database, documents: 3_000)
        let before = try bed.generations()
        let task = Task {
            for try await progress in database.async.conversion(to: .lmdb) where progress.phase == .data {
                withUnsafeCurrentTask { $0?.cancel() }
            }
        }
        _ = await task.result
        try expectEventually { try bed.generations() == before || database.storageType == .lmdb }
        #expect(try database.check().map(\.description) == [])
        var phases: Set<String> = []
        let key = try EncryptedFixture.key()
        for try await progress in database.async.conversion(to: .sqlcipher, key: key) {
            phases.insert("\(progress.phase)")
        }
        #expect(phases == ["attachments", "data", "verification"])
        #expect(database.storageType == .sqlcipher)
    }
}
