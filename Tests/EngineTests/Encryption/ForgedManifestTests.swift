import Foundation
import Settee
import SetteeStorageFiles
import SetteeTestSupport
import StorageProtocol
import Testing

@testable import SetteeEngine

/// One copy of the manifest was replaced by one with a valid checksum that was not written with this database's key.
/// Six such files made the database unusable (591) although the other copy was authentic; all others were replaced
/// without any report.
@Suite struct ForgedManifestTests {
    private static let names = ["manifest.json", "manifest-copy.json"]

    /// What one copy is replaced by.
    enum Forgery: CaseIterable {
        case ofAnotherDatabase, ofACopy, ofANewerCopy, ofACopyWithOtherGenerations
        case wrongCode, newerFormat, newerWriter, laterSerial, lastSerial, missingGeneration, missingCode
        case plain, plainOfNewerFormat
    }

    /// Seals as somebody would who does not have the key.
    private struct WrongSeal: ManifestSealing {
        func code(of text: ArraySlice<UInt8>) -> [UInt8] { [UInt8](repeating: UInt8(ascii: "a"), count: 64) }
    }

    private func manifest(_ path: String, _ name: String = names[0]) throws -> Data {
        try Data(contentsOf: URL(filePath: path + "/" + name))
    }

    private func put(_ bytes: some Sequence<UInt8>, at path: String) throws {
        try Data(bytes).write(to: URL(filePath: path))
    }

    private func forge(
        _ path: String,
        sealedBy seal: (any ManifestSealing)? = WrongSeal(),
        _ change: (inout Manifest) -> Void
    ) throws -> Data {
        var manifest = try #require(ManifestCopy(Array(manifest(path)))).manifest
        change(&manifest)
        return Data(manifest.encoded(sealedBy: seal))
    }

    private func make(_ forgery: Forgery, in bed: EncryptedFixture) throws -> Data {
        let path = bed.path()
        switch forgery {
        case .ofAnotherDatabase:
            let other = try bed.open("other", key: EncryptedFixture.key())
            // So that its serial is the higher one.
            try other.changeKey(to: EncryptedFixture.key())
            try other.close()
            return try manifest(bed.path("other"))
        case .ofACopy, .ofANewerCopy, .ofACopyWithOtherGenerations:
            let database = try bed.open(key: EncryptedFixture.key())
            try database.copy(to: URL(filePath: bed.path("other")))
            try database.close()
            let other = try bed.open("other", key: EncryptedFixture.key())
            if forgery == .ofANewerCopy { try other.changeKey(to: EncryptedFixture.key()) }
            if forgery == .ofACopyWithOtherGenerations { try other.compact() }
            try other.close()
            return try manifest(bed.path("other"))
        case .wrongCode: return try forge(path) { _ in }
        case .newerFormat: return try forge(path) { ($0.minReader, $0.minWriter, $0.serial) = (99, 99, 9) }
        case .newerWriter: return try forge(path) { ($0.minWriter, $0.serial) = (99, 9) }
        case .laterSerial: return try forge(path) { $0.serial = 9 }
        case .lastSerial: return try forge(path) { $0.serial = .max }
        case .missingGeneration: return try forge(path) { ($0.serial, $0.dataGeneration) = (9, 9) }
        case .missingCode: return try forge(path, sealedBy: nil) { $0.serial = 9 }
        case .plain, .plainOfNewerFormat:
            return try forge(path, sealedBy: nil) { manifest in
                manifest.keySlots = []
                manifest.encryption = nil
                manifest.storageType = .sqlite
                manifest.serial = 9
                manifest.minReader = forgery == .plain ? 1 : 99
            }
        }
    }

    private func fill(_ bed: EncryptedFixture) throws {
        let database = try bed.open(key: EncryptedFixture.key())
        try database["a"].put(["x": 1])
        try database["a"].setAttachment(named: "file", content: Array("content".utf8))
        try database.close()
    }

    private func problems(_ database: Database) throws -> [String] { try database.check().map(\.message) }

    @Test(arguments: Forgery.allCases, names)
    func theAuthenticCopyServes(forgery: Forgery, name: String) throws {
        let bed = try EncryptedFixture()
        try fill(bed)
        let path = bed.path()
        let good = try manifest(path)
        let forged = try make(forgery, in: bed)
        #expect(forged != good)
        try put(forged, at: path + "/" + name)
        expectError(.unauthorized) { _ = try bed.open(key: nil) }
        expectError(.unauthorized) { _ = try bed.open(key: EncryptedFixture.key(2)) }
        let reader = try bed.open(key: EncryptedFixture.key(), readOnly: true)
        #expect(try reader["a"].read()["x"] == 1)
        let read = try problems(reader)
        #expect(read.count == 1 && read[0].hasPrefix("'\(name)' was not written with this database's key: "), "\(read)")
        try reader.close()
        #expect(try manifest(path, name) == forged, "a reader mends nothing")
        var written: [String] = []
        let lines = try Captured.during {
            let writer = try bed.open(key: EncryptedFixture.key())
            #expect(try writer["a"].read().attachment(named: "file")?.content() == Array("content".utf8))
            written = try problems(writer)
            try writer.close()
        }
        #expect(written.count == 1 && written[0].contains("was written anew"), "\(written)")
        #expect(lines.contains { $0.hasPrefix("error ") && $0.contains("'\(name)' was not written with") }, "\(lines)")
        for name in Self.names { #expect(try manifest(path, name) == good) }
        #expect(try problems(bed.open(key: EncryptedFixture.key())) == [])
    }

    /// A flipped bit was reported by `check`, but never logged.
    @Test(arguments: names)
    func aDamagedCopyIsLogged(name: String) throws {
        let bed = try EncryptedFixture()
        try bed.open("flipped", key: nil).close()
        let path = bed.path("flipped")
        var bytes = Array(try manifest(path))
        bytes[20] ^= 1
        try put(bytes, at: path + "/" + name)
        let lines = try Captured.during { try bed.open("flipped", key: nil).close() }
        #expect(lines.contains { $0.contains("flipped") && $0.contains("'\(name)' was damaged") }, "\(lines)")
    }

    /// Replaced while the database is open.
    @Test func anOpenDatabaseTellsOfIt() throws {
        let bed = try EncryptedFixture()
        try fill(bed)
        let database = try bed.open(key: EncryptedFixture.key())
        try put(make(.wrongCode, in: bed), at: bed.path() + "/manifest-copy.json")
        let found = try problems(database)
        #expect(found.count == 1 && found[0].contains("mends it"), "\(found)")
    }

    /// An authentic copy in a newer format is still refused.
    @Test(arguments: names)
    func anAuthenticNewerFormatIsRefused(name: String) throws {
        let bed = try EncryptedFixture()
        try fill(bed)
        let database = try bed.open(key: EncryptedFixture.key())
        let uuid = try #require(database.folder?.databaseUUID)
        let seal = try #require(try database.setup.keys?.seal(of: uuid))
        try database.close()
        let good = try manifest(bed.path())
        try put(forge(bed.path(), sealedBy: seal) { ($0.minReader, $0.serial) = (3, 9) }, at: bed.path() + "/" + name)
        expectError(.unsupportedFormat) { _ = try bed.open(key: EncryptedFixture.key()) }
        // An older one does not count.
        try put(forge(bed.path(), sealedBy: seal) { ($0.minReader, $0.serial) = (3, 0) }, at: bed.path() + "/" + name)
        for other in Self.names where other != name { try put(good, at: bed.path() + "/" + other) }
        try bed.open(key: EncryptedFixture.key()).close()
        // No key gives another answer.
        for name in Self.names { try put(make(.newerFormat, in: bed), at: bed.path() + "/" + name) }
        for key in [nil, try EncryptedFixture.key(), try EncryptedFixture.key(2)] {
            expectError(.unsupportedFormat) { _ = try bed.open(key: key) }
        }
    }

    /// The message used to advise opening it without a key.
    @Test(arguments: [StorageType.sqlite, .lmdb, .sqlcipher], [false, true])
    func twoPlainCopiesOfAnEncryptedDatabaseAreDamage(type: StorageType, readOnly: Bool) throws {
        let bed = try EncryptedFixture()
        try fill(bed)
        let forged = try forge(bed.path(), sealedBy: nil) { manifest in
            manifest.keySlots = []
            manifest.encryption = nil
            manifest.storageType = type
        }
        for name in Self.names { try put(forged, at: bed.path() + "/" + name) }
        let before = try bed.state(withTimes: false)
        for key in [nil, try EncryptedFixture.key()] {
            do {
                _ = try bed.open(key: key, readOnly: readOnly)
                Issue.record("It was opened.")
            } catch let error as StorageError {
                #expect(error.code == .corrupt)
                #expect(!error.message.contains("without a key"))
                #expect(key == nil || error.message.contains("restore manifest.json"), "\(error.message)")
            }
        }
        #expect(try bed.state(withTimes: false) == before || !readOnly)
    }

    /// Nothing is authenticated to replace or delete a database.
    @Test(arguments: [Forgery.newerFormat, .newerWriter, .lastSerial, .missingGeneration, .ofAnotherDatabase], names)
    func whatIsForgedCanBeReplacedAndDeleted(forgery: Forgery, name: String) throws {
        let bed = try EncryptedFixture()
        try fill(bed)
        try put(make(forgery, in: bed), at: bed.path() + "/" + name)
        let source = try bed.open("source", key: EncryptedFixture.key(3))
        try source["b"].put(["y": 2])
        try source.close()
        try bed.manager.replaceDatabase(
            named: "test",
            from: URL(filePath: bed.path("source")),
            key: EncryptedFixture.key(3)
        )
        let replaced = try bed.open(key: EncryptedFixture.key(3))
        #expect(try replaced["b"].read()["y"] == 2)
        #expect(try problems(replaced) == [])
        try replaced.close()
        try put(make(.newerFormat, in: bed), at: bed.path() + "/" + name)
        try bed.manager.deleteDatabase(named: "test")
        #expect(!FileManager.default.fileExists(atPath: bed.path()))
    }

    /// A requested type is compared with that of the authentic copy.
    @Test(arguments: names)
    func theTypeIsThatOfTheAuthenticCopy(name: String) throws {
        let bed = try EncryptedFixture()
        try fill(bed)
        try put(forge(bed.path()) { ($0.storageType, $0.serial) = (.lmdb, 9) }, at: bed.path() + "/" + name)
        let database = try bed.open("test", .sqlite, key: EncryptedFixture.key())
        #expect(database.storageType == .sqlcipher)
        #expect(try database["a"].read()["x"] == 1)
    }
}
