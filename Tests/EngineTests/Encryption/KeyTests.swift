import Foundation
import Settee
import SetteeTestSupport
import StorageProtocol
import Testing

@testable import SetteeEngine

/// Which keys open which databases, and which errors the others give. A refusal changes nothing.
@Suite struct KeyTests {
    @Test(arguments: [StorageType.sqlite, .sqlcipher, nil])
    func aKeyMakesAnEncryptedDatabase(type: StorageType?) throws {
        let bed = try EncryptedFixture()
        let database = try bed.open("test", type, key: EncryptedFixture.key())
        #expect(database.storageType == .sqlcipher)
        #expect(try database.statistics().isEncrypted)
        try database["a"].put(["x": 1])
        try database.close()
        for type in [StorageType.sqlite, .sqlcipher, nil] {
            let again = try bed.open("test", type, key: EncryptedFixture.key())
            #expect(again.storageType == .sqlcipher)
            #expect(try again["a"].read()["x"] == 1)
            try again.close()
        }
    }

    @Test func withoutAKeyDatabasesArePlain() throws {
        let bed = try EncryptedFixture()
        let database = try bed.open("test", key: nil)
        #expect(database.storageType == .sqlite)
        #expect(try !database.statistics().isEncrypted)
        try database.close()
        let text = try Data(contentsOf: URL(fileURLWithPath: bed.path() + "/manifest.json"))
        #expect(String(decoding: text, as: UTF8.self).contains(#""formatVersion":1,"minReader":1,"minWriter":1"#))
    }

    @Test func newDatabases() throws {
        let bed = try EncryptedFixture()
        expectError(.badRequest) { _ = try bed.open("test", .sqlcipher, key: nil) }
        for type in [StorageType.lmdb, .memory] {
            expectError(.notImplemented) { _ = try bed.open("test", type, key: EncryptedFixture.key()) }
        }
        #expect(try bed.manager.allDatabaseNames == [])
        let alone = try Manager(directory: bed.folder.url, engines: [Storage.factory(.sqlite)])
        expectError(.notImplemented) {
            _ = try alone.database(named: "test", options: EncryptedFixture.options(key: EncryptedFixture.key()))
        }
        #expect(try alone.allDatabaseNames == [])
    }

    @Test(arguments: [false, true])
    func wrongAndMissingKeysChangeNothing(readOnly: Bool) throws {
        let bed = try EncryptedFixture()
        let database = try bed.open(key: EncryptedFixture.key())
        try database["a"].put(["x": 1])
        try database["a"].setAttachment(named: "file", content: Array("content".utf8))
        try database.close()
        let (before, content) = (try bed.state(), try bed.state(withTimes: false))
        let keys: [StorageKey?] = [
            nil, try EncryptedFixture.key(2), try StorageKey(passphrase: "wrong"),
            try StorageKey(passphrase: String(repeating: "\u{1}", count: 32)),
        ]
        for key in keys {
            for type in [nil, StorageType.sqlite, .sqlcipher] {
                expectError(.unauthorized) { _ = try bed.open("test", type, key: key, readOnly: readOnly) }
            }
        }
        #expect(try bed.state() == before)
        // Not without `decrypt`. The right key has opened it, with a page in `holders/`.
        expectError(readOnly ? .invalidStorageType : .badRequest) {
            _ = try bed.open("test", .lmdb, key: EncryptedFixture.key(), readOnly: readOnly)
        }
        #expect(try bed.state(withTimes: false) == content)
        #expect(try bed.open(key: EncryptedFixture.key(), readOnly: readOnly)["a"].read()["x"] == 1)
    }

    @Test(arguments: [StorageType.sqlite, .lmdb], [false, true])
    func aKeyForAPlainDatabaseIsRefused(type: StorageType, readOnly: Bool) throws {
        let bed = try EncryptedFixture()
        try bed.open("test", type, key: nil).close()
        let (before, content) = (try bed.state(), try bed.state(withTimes: false))
        let code: StorageError.Code = type == .sqlite ? .badParameter : .notImplemented
        expectError(code) { _ = try bed.open(key: EncryptedFixture.key(), readOnly: readOnly) }
        #expect(try bed.state() == before)
        // It is open while its conversion is refused, with a page in `holders/`.
        expectError(readOnly ? .invalidStorageType : .badRequest) {
            _ = try bed.open("test", .sqlcipher, key: nil, readOnly: readOnly)
        }
        #expect(try bed.state(withTimes: false) == content)
        let database = try bed.open(key: nil, readOnly: readOnly)
        expectError(code) { _ = try bed.open(key: EncryptedFixture.key(), readOnly: readOnly) }
        #expect(database.isOpen)
    }

    @Test func aSecondOpeningNeedsTheKey() throws {
        let bed = try EncryptedFixture()
        let database = try bed.open(key: EncryptedFixture.key())
        for key in [nil, try EncryptedFixture.key(2), try StorageKey(passphrase: "wrong")] {
            expectError(.unauthorized) { _ = try bed.open(key: key) }
            expectError(.unauthorized) { _ = try bed.open(key: key, readOnly: true) }
        }
        #expect(try bed.open(key: EncryptedFixture.key()) === database)
        #expect(try bed.open("test", .sqlite, key: EncryptedFixture.key()) === database)
        #expect(try bed.open(key: EncryptedFixture.key(), readOnly: true).isReadOnly)
        #expect(database.isOpen)
    }

    @Test func passphrases() throws {
        let bed = try EncryptedFixture()
        let right = try StorageKey(passphrase: "correct horse battery staple")
        try bed.open(key: right)["a"].put(["x": 1])
        try bed.manager.close()
        expectError(.unauthorized) { _ = try bed.open(key: StorageKey(passphrase: "correct horse battery stapl")) }
        #expect(try bed.open(key: right)["a"].read()["x"] == 1)
    }

    @Test func manyWrongRawKeys() throws {
        let bed = try EncryptedFixture()
        try bed.open(key: EncryptedFixture.key())["a"].put(["x": 1])
        try bed.manager.close()
        let before = try bed.state()
        let isLong = ProcessInfo.processInfo.environment["SETTEE_STRESS"] != nil
        for number in UInt32(0)..<(isLong ? 10_000 : 500) {
            var bytes = (0..<UInt8(StorageKey.rawLength)).map { 1 + $0 }
            // The first ones differ in one bit.
            if number < 256 {
                bytes[Int(number / 8)] ^= 1 << UInt8(number % 8)
            } else {
                withUnsafeBytes(of: number) { bytes.replaceSubrange(4..<8, with: $0) }
            }
            let key = try StorageKey(bytes: bytes.span.bytes)
            expectError(.unauthorized) { _ = try bed.open(key: key, readOnly: number % 2 == 0) }
        }
        #expect(try bed.state() == before)
    }
}
