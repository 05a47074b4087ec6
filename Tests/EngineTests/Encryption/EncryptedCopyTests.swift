import Foundation
import Settee
import SetteeTestSupport
import StorageProtocol
import Testing

@testable import SetteeEngine
@testable import SetteeViews

/// What is made from an encrypted database is encrypted, with the key that belongs to it.
@Suite struct EncryptedCopyTests {
    static let markers = ["SECRETBODY", "SECRETID", "SECRETNAME", "SECRETTYPE", "SECRETFILE", "SECRETKEY"]

    private func fill(_ database: Database) throws {
        try database.inTransaction {
            for number in 0..<200 {
                let document = database["SECRETID\(number)"]
                try document.put(["text": .string("SECRETBODY \(number) " + String(repeating: "x", count: number * 20))]
                )
            }
        }
        try database["SECRETID1"].setAttachment(
            named: "SECRETNAME",
            contentType: "SECRET/SECRETTYPE",
            content: Array(String(repeating: "SECRETFILE ", count: 20_000).utf8)
        )
        let view = database.view("SECRETKEY")
        try view.setMap(version: "1") { document, emit in emit("SECRETKEY", document["text"]) }
        try view.updateIndex()
    }

    private func requireContent(_ database: Database, comment: Comment) throws {
        #expect(try database.documentCount == 200, comment)
        let content = try database["SECRETID1"].read().attachment(named: "SECRETNAME")?.content()
        #expect(content?.count == 220_000, comment)
        #expect(try database.check().map(\.message) == [], comment)
        #expect(try database.statistics().isEncrypted, comment)
    }

    @Test func nothingIsReadableOnDisk() throws {
        let bed = try EncryptedFixture()
        let database = try bed.open(key: EncryptedFixture.key())
        try fill(database)
        #expect(try bed.filesWith(EncryptedCopyTests.markers) == [])
        try database.compact()
        #expect(try bed.filesWith(EncryptedCopyTests.markers) == [])
        try requireContent(database, comment: "compacted")
        let copy = bed.folder.url.appending(path: "copy.settee")
        try database.copy(to: copy)
        #expect(try database["SECRETID1"].read().attachment(named: "SECRETNAME")?.fileURL() == nil)
        try database.close()
        #expect(try bed.filesWith(EncryptedCopyTests.markers) == [])
        try requireContent(bed.open("copy", key: EncryptedFixture.key()), comment: "copied")
        // As a control: without a key the markers are found.
        let plain = try bed.open("plain", key: nil)
        try fill(plain)
        try plain.close()
        let found = try bed.filesWith(["SECRETBODY"])
        #expect(!found.isEmpty && found.allSatisfy { $0.hasPrefix("plain.settee") })
    }

    @Test func copiesHaveTheKey() throws {
        let bed = try EncryptedFixture()
        let database = try bed.open(key: EncryptedFixture.key())
        try fill(database)
        try database.compact()
        try database.copy(to: bed.folder.url.appending(path: "copy.settee"))
        try database.close()
        for key in [nil, try EncryptedFixture.key(2)] {
            expectError(.unauthorized) { _ = try bed.open("copy", key: key) }
            expectError(.unauthorized) { _ = try bed.open(key: key) }
        }
        let copy = try bed.open("copy", key: EncryptedFixture.key())
        try requireContent(copy, comment: "copy")
        // From now on they are independent.
        try copy.changeKey(to: EncryptedFixture.key(2))
        try copy.compact()
        try copy.copy(to: bed.folder.url.appending(path: "third.settee"))
        try copy.close()
        try requireContent(bed.open(key: EncryptedFixture.key()), comment: "original")
        try requireContent(bed.open("copy", key: EncryptedFixture.key(2)), comment: "copy")
        try requireContent(bed.open("third", key: EncryptedFixture.key(2), readOnly: true), comment: "third")
    }

    /// The data file of another generation, or of a copy, does not match the manifest.
    @Test func filesOfCopiesDoNotFit() throws {
        let bed = try EncryptedFixture()
        let database = try bed.open(key: EncryptedFixture.key())
        try fill(database)
        try database.copy(to: bed.folder.url.appending(path: "copy.settee"))
        try database.close()
        let data = bed.path() + "/data-000001/db.sqlite3"
        try FileManager.default.removeItem(atPath: data)
        try FileManager.default.copyItem(atPath: bed.path("copy") + "/data-000001/db.sqlite3", toPath: data)
        for readOnly in [false, true] {
            expectError(.corrupt) { _ = try bed.open(key: EncryptedFixture.key(), readOnly: readOnly) }
        }
    }

    @Test(arguments: [false, true])
    func replacing(targetIsEncrypted: Bool) throws {
        let bed = try EncryptedFixture()
        let source = try bed.open("source", key: EncryptedFixture.key())
        try fill(source)
        try source.close()
        try bed.open(key: targetIsEncrypted ? EncryptedFixture.key(9) : nil)["old"].put([:])
        try bed.manager.close()
        let url = URL(fileURLWithPath: bed.path("source"))
        let before = try bed.state()
        for key in [nil, try EncryptedFixture.key(2), try EncryptedFixture.key(9)] {
            expectError(.unauthorized) { try bed.manager.replaceDatabase(named: "test", from: url, key: key) }
        }
        #expect(try bed.state() == before)
        try bed.manager.replaceDatabase(named: "test", from: url, key: EncryptedFixture.key())
        for key in [nil, try EncryptedFixture.key(9)] {
            expectError(.unauthorized) { _ = try bed.open(key: key) }
        }
        try requireContent(bed.open(key: EncryptedFixture.key()), comment: "replaced")
        try bed.manager.replaceDatabase(named: "new", from: url, key: EncryptedFixture.key())
        try requireContent(bed.open("new", key: EncryptedFixture.key()), comment: "made")
    }

    @Test func plainTextDoesNotReplaceAnEncryptedDatabaseByItself() throws {
        let bed = try EncryptedFixture()
        try bed.open("source", key: nil)["a"].put(["x": 1])
        try bed.open(key: EncryptedFixture.key())["b"].put(["x": 2])
        try bed.manager.close()
        let url = URL(fileURLWithPath: bed.path("source"))
        let before = try bed.state()
        expectError(.badRequest) { try bed.manager.replaceDatabase(named: "test", from: url) }
        #expect(try bed.state() == before)
        try bed.manager.replaceDatabase(named: "test", from: url, decrypt: true)
        let database = try bed.open(key: nil)
        #expect(try database["a"].read()["x"] == 1)
        #expect(try !database.statistics().isEncrypted)
    }
}
