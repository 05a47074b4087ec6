import Foundation
import Settee
import SetteeTestSupport
import StorageConformance
import StorageProtocol
import Testing

@testable import SetteeEngine

/// Only a storage type that is given for this very opening converts an existing database.
@Suite struct OpeningConversionTests {
    private func options(_ type: StorageType?, _ key: StorageKey? = nil) -> DatabaseOptions {
        EncryptedFixture.options(type, key: key)
    }

    @Test(arguments: [(StorageType.sqlite, StorageType.lmdb), (.lmdb, .sqlite)])
    func aTypeConverts(source: StorageType, target: StorageType) throws {
        let bed = try ConversionFixture()
        let first = try bed.make(source)
        try bed.fill(first)
        let before = (try bed.contents(first), try first.counters(), try bed.export(first))
        try first.close()
        let database = try bed.bed.manager.database(named: "test", options: options(target))
        #expect(database.storageType == target)
        #expect(try bed.contents(database).difference(from: before.0) == nil)
        #expect(try database.counters() == before.1)
        #expect(try bed.export(database) == before.2)
        #expect(try bed.bed.manager.database(named: "test", options: options(target)) === database)
        // An open one is not converted behind its users' backs.
        expectError(.invalidStorageType) { try bed.bed.manager.database(named: "test", options: options(source)) }
        try database["new"].put([:])
        try database.close()
        #expect(try bed.generations() == ["blobs-000001", "data-000002"])
        let again = try bed.bed.manager.database(named: "test", options: options(nil))
        #expect(again.storageType == target)
        #expect(try again.existingDocument("new") != nil)
    }

    @Test func defaultsConvertNothing() throws {
        let bed = try ConversionFixture()
        try bed.make(.sqlite).close()
        let other = try Manager(directory: bed.bed.folder.url, options: .init(storageType: .lmdb))
        let database = try other.database(named: "test")
        #expect(database.storageType == .sqlite)
        try other.close()
        for (change, code) in [
            ({ $0.onMismatch = .fail }, StorageError.Code.invalidStorageType),
            ({ $0.readOnly = true }, .invalidStorageType),
            ({ $0.toleratesDamage = true }, .invalidStorageType),
            ({ $0.storageType = .memory }, .invalidStorageType),
            ({ $0.storageType = try? StorageType("tape") }, .invalidStorageType),
            ({ $0.storageType = .sqlcipher }, .badRequest),
            ({ $0.key = try? EncryptedFixture.key() }, .notImplemented),
        ] as [((inout DatabaseOptions) -> Void, StorageError.Code)] {
            var wishes = options(.lmdb)
            change(&wishes)
            expectError(code) { _ = try bed.bed.manager.database(named: "test", options: wishes) }
            #expect(try bed.generations() == ["blobs-000001", "data-000001"])
        }
        // A key alone does not encrypt a database.
        expectError(.badParameter) { _ = try bed.bed.open("test", nil, key: EncryptedFixture.key()) }
        try bed.bed.open(key: nil).close()
    }

    @Test func keysGoWithTheType() throws {
        let bed = try ConversionFixture()
        let first = try bed.make(.sqlite)
        try bed.fill(first)
        let before = try bed.export(first)
        try first.close()
        let encrypted = try bed.bed.open("test", .sqlcipher, key: EncryptedFixture.key(7))
        #expect(try bed.export(encrypted) == before)
        try encrypted.close()
        var wishes = options(.sqlite)
        expectError(.unauthorized) { _ = try bed.bed.manager.database(named: "test", options: wishes) }
        wishes.decrypt = true
        expectError(.unauthorized) { _ = try bed.bed.manager.database(named: "test", options: wishes) }
        wishes.key = try EncryptedFixture.key(8)
        expectError(.unauthorized) { _ = try bed.bed.manager.database(named: "test", options: wishes) }
        wishes.key = try EncryptedFixture.key(7)
        wishes.storageType = nil
        expectError(.badRequest) { _ = try bed.bed.manager.database(named: "test", options: wishes) }
        for type in [StorageType.sqlite, .lmdb] {
            wishes.storageType = type
            // The same options work again when there is nothing left to decrypt.
            for _ in 0..<2 {
                let plain = try bed.bed.manager.database(named: "test", options: wishes)
                #expect(plain.storageType == type)
                #expect(try !plain.statistics().isEncrypted)
                #expect(try bed.export(plain) == before)
                try plain.close()
            }
        }
    }

    /// `.sqlite` with a key is `.sqlcipher`, for a database that is there as for a new one.
    @Test(arguments: [StorageType.sqlite, .lmdb])
    func sqliteWithAKeyEncrypts(source: StorageType) throws {
        let bed = try ConversionFixture()
        let first = try bed.make(source)
        try bed.fill(first)
        try first["marker-id"].put(["marker-key": "marker-value"])
        try first["marker-id"].setAttachment(named: "marker-name", content: Array("marker-content".utf8))
        try first["b"].setAttachment(named: "gone", content: Array("marker-trash".utf8))
        try first["b"].removeAttachment(named: "gone")
        let before = (try bed.export(first), try first.counters())
        var wishes = options(.sqlite, try EncryptedFixture.key(7))
        // Not behind the back of those who have it open.
        let code: StorageError.Code = source == .sqlite ? .badParameter : .notImplemented
        expectError(code) { _ = try bed.bed.manager.database(named: "test", options: wishes) }
        try first.close()
        for change in [{ $0.onMismatch = .fail }, { $0.readOnly = true }, { $0.toleratesDamage = true }]
            as [(inout DatabaseOptions) -> Void]
        {
            var refused = wishes
            change(&refused)
            expectError(code) { _ = try bed.bed.manager.database(named: "test", options: refused) }
        }
        #expect(try bed.generations() == ["blobs-000001", "data-000001"])
        #expect(try bed.bed.filesWith(["marker-"]).count > 1)
        let encrypted = try bed.bed.manager.database(named: "test", options: wishes)
        #expect(encrypted.storageType == .sqlcipher)
        #expect(try encrypted.statistics().isEncrypted)
        #expect(try bed.export(encrypted) == before.0)
        #expect(try encrypted.counters() == before.1)
        #expect(try bed.bed.filesWith(["marker-"]) == [])
        try encrypted.close()
        #expect(try bed.bed.filesWith(["marker-"]) == [])
        // The same options open it again; no key and a wrong one do not.
        try bed.bed.manager.database(named: "test", options: wishes).close()
        #expect(try bed.generations() == ["blobs-000002", "data-000002"])
        for key in [nil, try EncryptedFixture.key(8)] {
            wishes.key = key
            for type in [nil, StorageType.sqlite, .sqlcipher] {
                wishes.storageType = type
                expectError(.unauthorized) { _ = try bed.bed.manager.database(named: "test", options: wishes) }
            }
        }
        #expect(try bed.generations() == ["blobs-000002", "data-000002"])
    }

    /// Threads that request one database with two engines all get the same engine, or a refusal.
    @Test func threadsThatDisagree() throws {
        let bed = try ConversionFixture()
        let first = try bed.make(.sqlite)
        try bed.fill(first)
        let before = try bed.export(first)
        try first.close()
        let opened = Locked<[Database]>([])
        let manager = bed.bed.manager
        try onThreads(4) { number in
            do {
                let wishes = EncryptedFixture.options(number % 2 == 0 ? .lmdb : .sqlite)
                let database = try manager.database(named: "test", options: wishes)
                opened.withLock { $0.append(database) }
            } catch let error as StorageError {
                #expect(error.code == .invalidStorageType)
            }
        }
        let databases = opened.withLock { $0 }
        #expect(Set(databases.map(ObjectIdentifier.init)).count == 1)
        #expect(try bed.export(try #require(databases.first)) == before)
    }
}
