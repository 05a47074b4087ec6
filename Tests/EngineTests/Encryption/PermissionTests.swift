import Foundation
import Settee
import SetteeTestSupport
import StorageProtocol
import Testing

@testable import SetteeEngine

/// The folder of an encrypted database is accessible to its owner only (0700), and so is every file in it (0600). They
/// used to be 0755 and 0644, and LMDB's, SQLite's and Settee's own files differed.
@Suite struct PermissionTests {
    private func modes(_ path: String) throws -> [String: Int] {
        let names = try FileManager.default.subpathsOfDirectory(atPath: path) + [""]
        var modes: [String: Int] = [:]
        for name in names {
            let facts = try FileManager.default.attributesOfItem(atPath: path + "/" + name)
            modes[name] = (facts[.posixPermissions] as? NSNumber)?.intValue
        }
        return modes
    }

    private func expectPrivate(_ path: String, _ comment: Comment) throws {
        let open = try modes(path).filter { $0.value & 0o077 != 0 }
        #expect(open == [:], comment)
    }

    private func fill(_ database: Database) throws {
        try database["a"].put(["x": 1])
        try database["a"].setAttachment(named: "file", content: Array("content".utf8))
        let revision = try database["a"].read()
        let file = try #require(try revision.attachment(named: "file"))
        #expect(try file.content().count == 7)
    }

    @Test func anEncryptedDatabaseIsItsOwnersAlone() throws {
        let bed = try EncryptedFixture()
        let database = try bed.open(key: EncryptedFixture.key())
        try fill(database)
        try expectPrivate(bed.path(), "new")
        try database.compact()
        try database["b"].setAttachment(named: "file", content: Array("another".utf8))
        try expectPrivate(bed.path(), "compacted")
        try database.copy(to: URL(filePath: bed.path("copy")))
        try expectPrivate(bed.path("copy"), "copied")
        try database.rotateKey(to: EncryptedFixture.key(2))
        try expectPrivate(bed.path(), "rotated")
        try database.close()
        let reader = try bed.open(key: EncryptedFixture.key(2), readOnly: true)
        try expectPrivate(bed.path(), "read")
        try reader.close()
        try bed.manager.replaceDatabase(
            named: "other",
            from: URL(filePath: bed.path()),
            key: EncryptedFixture.key(2)
        )
        try expectPrivate(bed.path("other"), "installed")
    }

    @Test(arguments: [StorageType.sqlite, .lmdb])
    func encryptingClosesAFolder(type: StorageType) throws {
        let bed = try EncryptedFixture()
        let database = try bed.open("test", type, key: nil)
        try fill(database)
        // Plain databases have the permissions that the umask allows.
        let free = bed.folder.url.appending(path: "free")
        try FileManager.default.createDirectory(at: free, withIntermediateDirectories: false)
        let mode = try modes(free.path)[""]
        #expect(try modes(bed.path())[""] == mode)
        try database.convert(to: .sqlcipher, key: EncryptedFixture.key())
        try expectPrivate(bed.path(), "converted")
        try database["b"].setAttachment(named: "file", content: Array("another".utf8))
        try expectPrivate(bed.path(), "written to")
    }

    /// Its owner may have given a group access.
    @Test func anExistingFolderIsLeftAsItIs() throws {
        let bed = try EncryptedFixture()
        let database = try bed.open(key: EncryptedFixture.key())
        try fill(database)
        try database.close()
        try FileManager.default.setAttributes([.posixPermissions: 0o750], ofItemAtPath: bed.path())
        let again = try bed.open(key: EncryptedFixture.key())
        try again.compact()
        #expect(try modes(bed.path())[""] == 0o750)
    }
}
