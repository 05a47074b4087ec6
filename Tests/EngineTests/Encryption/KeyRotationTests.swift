import Foundation
import Settee
import SetteeStorageFiles
import SetteeTestSupport
import StorageProtocol
import Testing

@testable import SetteeEngine

@Suite struct KeyRotationTests {
    private func fill(_ database: Database) throws {
        try database.inTransaction {
            for number in 0..<300 { try database["d\(number)"].put(["n": JSONValue(number)]) }
            for number in 0..<20 { try database["d\(number)"].delete() }
        }
        for number in 20..<30 {
            try database["d\(number)"].setAttachment(
                named: "file",
                content: [UInt8](repeating: UInt8(number), count: number * 10_000)
            )
        }
        try database["d20"].removeAttachment(named: "file")
        try database["_local/checkpoint"].put(["x": 1])
    }

    private func export(_ database: Database) throws -> [String] {
        var text: [UInt8] = []
        _ = try database.exportAll { text += $0 }
        return String(decoding: text, as: UTF8.self).split(separator: "\n").map(String.init)
    }

    @Test func everythingIsThereUnderTheNewKeyAlone() throws {
        let bed = try EncryptedFixture()
        let database = try bed.open(key: EncryptedFixture.key())
        try fill(database)
        let before = (try export(database), try database.lastSequence, try database.counters().changeCounter)
        let blobs = try FileManager.default.subpathsOfDirectory(atPath: bed.path() + "/blobs-000001")
        var phases: [ConversionProgress] = []
        try database.rotateKey(to: EncryptedFixture.key(2)) { phases.append($0) }
        #expect(phases.contains { $0.phase == .attachments && $0.share == 1 && $0.bytes > 2_000_000 })
        #expect(phases.contains { $0.phase == .data })
        func expectSame(_ database: Database) throws {
            #expect(try export(database) == before.0)
            #expect(try database.lastSequence == before.1)
            #expect(try database.counters().changeCounter >= before.2, "other processes' snapshots count by it")
            #expect(try database.check().map(\.message) == [])
        }
        try expectSame(database)
        expectError(.unauthorized) { _ = try bed.open(key: EncryptedFixture.key()) }
        #expect(try bed.open(key: EncryptedFixture.key(2)) === database)
        try database.close()
        let left = try FileManager.default.contentsOfDirectory(atPath: bed.path()).sorted()
        #expect(left.filter { $0.hasPrefix("data-") || $0.hasPrefix("blobs-") } == ["blobs-000002", "data-000002"])
        let renamed = try FileManager.default.subpathsOfDirectory(atPath: bed.path() + "/blobs-000002")
        #expect(Set(renamed.filter { $0.count > 64 }).isDisjoint(with: blobs))
        expectError(.unauthorized) { _ = try bed.open(key: EncryptedFixture.key()) }
        let again = try bed.open(key: EncryptedFixture.key(2))
        try expectSame(again)
        try again.compact()
        try again["new"].setAttachment(named: "file", content: [1, 2, 3])
        #expect(try again.check().map(\.message) == [])
    }

    /// The previous manifest, with the old key, no longer opens anything.
    @Test func theOldManifestOpensNothing() throws {
        let bed = try EncryptedFixture()
        let database = try bed.open(key: EncryptedFixture.key())
        try fill(database)
        let names = ["manifest.json", "manifest-copy.json"].map { URL(fileURLWithPath: bed.path() + "/" + $0) }
        let old = try names.map { try Data(contentsOf: $0) }
        try database.rotateKey(to: EncryptedFixture.key(2))
        try database.close()
        for name in names {
            try FileManager.default.removeItem(at: name)
            try old[0].write(to: name)
            #expect(throws: StorageError.self) { _ = try bed.open(key: EncryptedFixture.key(), readOnly: true) }
            if name == names[0] { try bed.open(key: EncryptedFixture.key(2), readOnly: true).close() }
        }
    }

    @Test func snapshotsAndStagedContentsGoAcross() throws {
        let bed = try EncryptedFixture()
        let database = try bed.open(key: EncryptedFixture.key())
        try fill(database)
        let staged = try database.stageAttachment(.bytes(Array("staged before".utf8)))
        let ready = DispatchSemaphore(value: 0)
        let rotated = DispatchSemaphore(value: 0)
        let reader = Background {
            try database.read { _ in
                let document = try database["d25"].read()
                ready.signal()
                rotated.wait()
                #expect(try document.attachment(named: "file")?.content() == [UInt8](repeating: 25, count: 250_000))
                #expect(try database.existingDocument("late") == nil)
            }
        }
        ready.wait()
        try database["d25"].removeAttachment(named: "file")
        try database.rotateKey(to: EncryptedFixture.key(2))
        try database["late"].setAttachment(named: "file", content: .staged(staged))
        rotated.signal()
        #expect(reader.ends(within: 60))
        try reader.join()
        #expect(try database["late"].read().attachment(named: "file")?.content() == Array("staged before".utf8))
        #expect(try database["d26"].read().attachment(named: "file")?.content().count == 260_000)
        #expect(try database.check().map(\.message) == [])
    }

    @Test func whatCannotBeDoneChangesNothing() throws {
        let bed = try EncryptedFixture()
        let plain = try bed.open("plain", key: nil)
        expectError(.badParameter) { try plain.rotateKey(to: EncryptedFixture.key(2)) }
        let database = try bed.open(key: EncryptedFixture.key())
        try fill(database)
        let names = try FileManager.default.contentsOfDirectory(atPath: bed.path()).sorted()
        let manifest = try Data(contentsOf: URL(fileURLWithPath: bed.path() + "/manifest.json"))
        database.compactor.space.measure { _ in 1_000_000 }
        expectError(.full) { try database.rotateKey(to: EncryptedFixture.key(2)) }
        database.compactor.space.measure { _ in nil }
        let other = try DatabaseFolder.open(
            at: bed.path(),
            readOnly: true,
            choose: { DatabaseFolder.Choice($0.copies[0]) }
        )
        expectError(.inUse) { try database.rotateKey(to: EncryptedFixture.key(2)) }
        other.close()
        try database.read { _ in expectError(.callback) { try database.rotateKey(to: EncryptedFixture.key(2)) } }
        // A damaged content is not rewritten under a name that hides the damage.
        let files = try FileManager.default.subpathsOfDirectory(atPath: bed.path() + "/blobs-000001")
        let file = URL(fileURLWithPath: bed.path() + "/blobs-000001/" + (try #require(files.first { $0.count > 64 })))
        var bytes = try Data(contentsOf: file)
        bytes[40] ^= 1
        try FileManager.default.removeItem(at: file)
        try bytes.write(to: file)
        expectError(.corrupt) { try database.rotateKey(to: EncryptedFixture.key(2)) }
        #expect(try FileManager.default.contentsOfDirectory(atPath: bed.path()).sorted() == names)
        #expect(try Data(contentsOf: URL(fileURLWithPath: bed.path() + "/manifest.json")) == manifest)
        #expect(try bed.open(key: EncryptedFixture.key()) === database)
    }
}
