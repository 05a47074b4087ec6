import Foundation
import Settee
import SetteeEncryption
import SetteeStorageFiles
import SetteeTestSupport
import StorageProtocol
import Testing

@testable import SetteeEngine

/// Which keys can be set. A file with only a line feed, and one of 32 zeros, used to be accepted as keys.
@Suite struct KeySettingTests {
    private static func bad() throws -> [StorageKey] {
        let zeros = [UInt8](repeating: 0, count: StorageKey.rawLength)
        let nines = [UInt8](repeating: 9, count: StorageKey.rawLength)
        return try [StorageKey(bytes: zeros.span.bytes), StorageKey(bytes: nines.span.bytes)]
            + ["\n", "\r\n", "two\nlines", "ends\n", "zero\0byte"].map { try StorageKey(passphrase: $0) }
    }

    @Test func whatNobodyShouldSetIsRefused() throws {
        let bed = try EncryptedFixture()
        let database = try bed.open(key: EncryptedFixture.key())
        let plain = try bed.open("plain", key: nil)
        for key in try Self.bad() {
            expectError(.badParameter) { _ = try bed.open("new", key: key) }
            expectError(.badParameter) { try database.changeKey(to: key) }
            expectError(.badParameter) { try database.rotateKey(to: key) }
            expectError(.badParameter) { try plain.convert(to: .sqlcipher, key: key) }
        }
        #expect(!FileManager.default.fileExists(atPath: bed.path("new")))
        try database.changeKey(to: StorageKey(passphrase: "a word\tand blanks "))
    }

    /// An earlier version may have set such a key.
    @Test func whatWasSetOpens() throws {
        let bed = try EncryptedFixture()
        for key in try Self.bad().prefix(3) {
            let database = try bed.open(key: EncryptedFixture.key())
            try database["a"].put(["x": 1])
            let folder = try #require(database.folder)
            let keys = try #require(database.setup.keys)
            var members = folder.manifest.members
            members.keySlots = [try KeySlot(wrapping: keys.dataKey, with: key).text]
            try folder.replaceMembers(members, seal: keys.seal(of: members.databaseUUID))
            try database.close()
            let again = try bed.open(key: key)
            #expect(try again["a"].read()["x"] == 1)
            try again.delete()
        }
    }
}
