import Foundation
import Settee
import SetteeTestSupport
import StorageProtocol
import Testing

@testable import SetteeEngine

@Suite struct KeyChangeTests {
    @Test func theNewKeyAloneOpensTheDatabase() throws {
        let bed = try EncryptedFixture()
        let passphrase = try StorageKey(passphrase: "a long and winding road")
        let database = try bed.open(key: EncryptedFixture.key())
        try database["a"].put(["x": 1])
        try database["a"].setAttachment(named: "file", content: Array("content".utf8))
        try database.changeKey(to: passphrase)
        // The change takes effect at once, even for an open database.
        expectError(.unauthorized) { _ = try bed.open(key: EncryptedFixture.key()) }
        #expect(try bed.open(key: passphrase) === database)
        try database["b"].put(["x": 2])
        try database.compact()
        try database.changeKey(to: EncryptedFixture.key(3))
        try database.close()
        for key in [nil, try EncryptedFixture.key(), passphrase] {
            expectError(.unauthorized) { _ = try bed.open(key: key) }
        }
        let again = try bed.open(key: EncryptedFixture.key(3))
        #expect(try again["a"].read()["x"] == 1)
        #expect(try again["a"].read().attachment(named: "file")?.content() == Array("content".utf8))
        #expect(try again["b"].read()["x"] == 2)
        #expect(try again.check().map(\.message) == [])
    }

    /// An old copy of the manifest does not make the old key valid again.
    @Test(arguments: ["manifest.json", "manifest-copy.json"])
    func anOldManifestBringsNoKeyBack(name: String) throws {
        let bed = try EncryptedFixture()
        let database = try bed.open(key: EncryptedFixture.key())
        let path = URL(fileURLWithPath: bed.path() + "/" + name)
        let old = try Data(contentsOf: path)
        try database.changeKey(to: EncryptedFixture.key(2))
        try database.close()
        try FileManager.default.removeItem(at: path)
        try old.write(to: path)
        let before = try bed.state()
        expectError(.unauthorized) { _ = try bed.open(key: EncryptedFixture.key()) }
        #expect(try bed.state() == before)
        try bed.open(key: EncryptedFixture.key(2)).close()
        #expect(try Data(contentsOf: path) != old, "it is mended")
    }

    @Test func howSlowlyAKeyIsDerivedCanBeChosen() async throws {
        let bed = try EncryptedFixture()
        let passphrase = try StorageKey(passphrase: "a long and winding road")
        let cheap = KeyDerivation.scrypt(n: 1 << 14, r: 8, p: 1)
        var options = EncryptedFixture.options(key: passphrase)
        options.keyDerivation = .scrypt(n: 1 << 13, r: 8, p: 1)
        expectError(.badParameter) { _ = try bed.manager.database(named: "test", options: options) }
        #expect(try bed.manager.allDatabaseNames == [])
        options.keyDerivation = cheap
        let database = try bed.manager.database(named: "test", options: options)
        #expect(try database.statistics().keySlots == [.passphrase(cheap)])
        try database["a"].put(["x": 1])
        let rounds = KeyDerivation.pbkdf2(rounds: 20_000)
        expectError(.badParameter) { try database.changeKey(to: passphrase, derivation: .pbkdf2(rounds: 1)) }
        try await database.async.changeKey(to: passphrase, derivation: rounds)
        #expect(try database.statistics().keySlots == [.passphrase(rounds)])
        for try await _ in database.async.keyRotation(to: passphrase, derivation: cheap) {}
        #expect(try database.statistics().keySlots == [.passphrase(cheap)])
        try database.changeKey(to: EncryptedFixture.key(2), derivation: rounds)
        #expect(try database.statistics().keySlots == [.raw])
        try database.close()
        #expect(try bed.open(key: EncryptedFixture.key(2))["a"].read()["x"] == 1)

        let plain = try bed.open("plain", key: nil)
        #expect(try plain.statistics().keySlots == [])
        try plain.convert(to: .sqlite, key: passphrase, keyDerivation: cheap)
        #expect(try plain.statistics().keySlots == [.passphrase(cheap)])
    }

    @Test func theAsynchronousFormsReplaceEncryptedDatabases() async throws {
        let bed = try EncryptedFixture()
        let source = try bed.open("source", key: EncryptedFixture.key())
        try source["a"].put(["x": 1])
        try source.close()
        let url = URL(filePath: bed.path("source"))
        try await bed.manager.async.replaceDatabase(named: "test", from: url, key: EncryptedFixture.key())
        #expect(try bed.open(key: EncryptedFixture.key())["a"].read()["x"] == 1)
    }

    @Test func whoCannotChangeIt() throws {
        let bed = try EncryptedFixture()
        let plain = try bed.open("plain", key: nil)
        expectError(.badParameter) { try plain.changeKey(to: EncryptedFixture.key(2)) }
        let database = try bed.open(key: EncryptedFixture.key())
        let before = try Data(contentsOf: URL(fileURLWithPath: bed.path() + "/manifest.json"))
        let reader = try bed.open(key: EncryptedFixture.key(), readOnly: true)
        expectError(.readOnly) { try reader.changeKey(to: EncryptedFixture.key(2)) }
        try database.inTransaction {
            expectError(.callback) { try database.changeKey(to: EncryptedFixture.key(2)) }
        }
        try database.close()
        expectError(.notOpen) { try database.changeKey(to: EncryptedFixture.key(2)) }
        #expect(try Data(contentsOf: URL(fileURLWithPath: bed.path() + "/manifest.json")) == before)
    }
}
