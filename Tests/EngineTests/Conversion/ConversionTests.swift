import Foundation
import Settee
import SetteeStorageFiles
import SetteeTestSupport
import StorageConformance
import StorageProtocol
import Testing

@testable import SetteeEngine

/// A database that is converted to another engine or other keys is still the same database.
@Suite struct ConversionTests {
    @Test(arguments: ConversionFixture.pairs)
    func everythingStaysThereAndBack(source: StorageType, target: StorageType) throws {
        let bed = try ConversionFixture()
        var database = try bed.make(source)
        try bed.fill(database)
        // The view's index is out of date, and stays so.
        try database["late"].put(["n": 1])
        let before = (try bed.contents(database), try database.counters(), try bed.export(database))
        let identity = (try database.publicUUID, try database.privateUUID, database.folder?.databaseUUID)
        for (type, generation) in [(target, "data-000002"), (source, "data-000003")] {
            try ConversionFixture.convert(database, to: type)
            for _ in 0..<2 {
                #expect(database.storageType == type)
                #expect(try bed.contents(database).withoutNames.difference(from: before.0.withoutNames) == nil)
                #expect(try database.counters() == before.1)
                #expect(try bed.export(database) == before.2)
                #expect(try database.check().map(\.description) == [])
                #expect(try database.publicUUID == identity.0 && database.privateUUID == identity.1)
                #expect(database.folder?.databaseUUID == identity.2)
                #expect(try bed.generations().first { $0.hasPrefix("data") } == generation)
                // No type is requested: it opens as what it was converted to.
                try database.close()
                database = try bed.open(type)
            }
            #expect(try bed.generations().count == 2)
        }
        #expect(try bed.keys(database).count == 60 + 4 + 1 - 10 - 1)
        try database["new"].setAttachment(named: "file", content: [1, 2, 3])
        #expect(try database.check().map(\.description) == [])
    }

    @Test(arguments: ConversionFixture.pairs)
    func queriesAnswerAlike(source: StorageType, target: StorageType) throws {
        let bed = try ConversionFixture()
        let database = try bed.make(source)
        try bed.fill(database)
        let before = try bed.keys(database)
        try ConversionFixture.convert(database, to: target)
        #expect(try bed.keys(database) == before)
        try database["d30"].update { $0["n"] = 999 }
        #expect(try bed.keys(database) != before)
        #expect(try database.check().map(\.description) == [])
    }

    /// Plain, encrypted with A, with B, and plain again, with snapshots open across every switch.
    @Test func snapshotsGoAcrossEverySwitch() throws {
        let bed = try ConversionFixture()
        let database = try bed.make(.sqlite)
        try bed.fill(database)
        let before = try bed.export(database)
        let switches: [(Database) throws -> Void] = [
            { try $0.convert(to: .sqlite, key: EncryptedFixture.key(1)) },
            { try $0.rotateKey(to: EncryptedFixture.key(2)) },
            { try $0.convert(to: .lmdb, decrypt: true) },
            { try $0.convert(to: .sqlcipher, key: EncryptedFixture.key(3)) },
            { try $0.convert(to: .sqlite, decrypt: true) },
        ]
        for change in switches {
            let ready = DispatchSemaphore(value: 0)
            let changed = DispatchSemaphore(value: 0)
            let reader = Background {
                try database.read { _ in
                    let document = try database["d23"].read()
                    ready.signal()
                    changed.wait()
                    #expect(try document.attachment(named: "file")?.content() == [UInt8](repeating: 0, count: 70_000))
                    #expect(try database["d40"].read()["n"] == 40)
                }
            }
            ready.wait()
            try change(database)
            changed.signal()
            #expect(reader.ends(within: 60))
            try reader.join()
            #expect(try bed.export(database) == before)
            #expect(try database.check().map(\.description) == [])
        }
        #expect(try bed.generations().count == 2)
        #expect(try !database.statistics().isEncrypted)
    }

    @Test(arguments: [StorageType.sqlite, .lmdb])
    func nothingReadableIsLeft(type: StorageType) throws {
        let bed = try ConversionFixture()
        let database = try bed.make(type)
        try database["marker-id"].put(["marker-key": "marker-value"])
        try database["a"].setAttachment(
            named: "marker-name",
            contentType: "marker/type",
            content: Array(String(repeating: "marker-content", count: 20_000).utf8)
        )
        try database["b"].setAttachment(named: "gone", content: Array("marker-trash".utf8))
        try database["b"].removeAttachment(named: "gone")
        let markers = ["marker-", "marker/type"]
        #expect(try bed.bed.filesWith(markers).count > 1)
        try database.convert(to: .sqlcipher, key: EncryptedFixture.key())
        #expect(try bed.bed.filesWith(markers) == [])
        try database.close()
        #expect(try bed.bed.filesWith(markers) == [])
        expectError(.unauthorized) { _ = try bed.bed.open(key: nil) }
        let manifest = try String(contentsOf: URL(filePath: bed.bed.path() + "/manifest.json"), encoding: .utf8)
        #expect(manifest.contains(#""formatVersion":2,"minReader":2,"minWriter":2"#))
        let again = try bed.bed.open(key: EncryptedFixture.key())
        try again.convert(to: type, decrypt: true)
        let plain = try String(contentsOf: URL(filePath: bed.bed.path() + "/manifest.json"), encoding: .utf8)
        #expect(plain.contains(#""formatVersion":1,"minReader":1,"minWriter":1"#) && plain.contains(#""keySlots":[]"#))
        #expect(!plain.contains("mac") && !plain.contains("encryption"))
        try again.close()
        #expect(try bed.bed.open(key: nil)["marker-id"].read()["marker-key"] == "marker-value")
    }

    @Test func compressionStaysOrChanges() throws {
        let bed = try ConversionFixture()
        var options = EncryptedFixture.options(.lmdb)
        options.compression = .lz4
        let database = try bed.bed.manager.database(named: "test", options: options)
        try bed.fill(database)
        let before = try bed.export(database)
        try database.convert(to: .lmdb, compression: .uncompressed)
        #expect(database.compression == .uncompressed)
        try database.convert(to: .lmdb, compression: .lz4)
        #expect(database.compression == .lz4)
        expectError(.notImplemented) { try database.convert(to: .sqlite, compression: .lz4) }
        try database.convert(to: .sqlite)
        #expect(database.compression == .uncompressed)
        #expect(try bed.export(database) == before)
    }

    @Test func attachmentsOfPlainDatabasesStayWhereTheyAre() throws {
        let bed = try ConversionFixture()
        let database = try bed.make(.sqlite)
        try bed.fill(database)
        let root = bed.bed.path() + "/blobs-000001"
        func numbers() throws -> [String] {
            try FileManager.default.subpathsOfDirectory(atPath: root).sorted().map {
                "\($0) \(try FileManager.default.attributesOfItem(atPath: root + "/" + $0)[.systemFileNumber] ?? 0)"
            }
        }
        let before = try numbers()
        try database.convert(to: .lmdb)
        #expect(try numbers() == before)
        #expect(try bed.generations() == ["blobs-000001", "data-000002"])
    }

    @Test func progressIsTold() throws {
        let bed = try ConversionFixture()
        let database = try bed.make(.sqlite)
        try database.inTransaction {
            for number in 0..<3_000 {
                try database["d\(number)"].put(["text": .string(String(repeating: "x", count: 1_000))])
            }
        }
        try database["a"].setAttachment(named: "file", content: [UInt8](repeating: 1, count: 1 << 20))
        var told: [ConversionProgress] = []
        try database.convert(to: .sqlcipher, key: EncryptedFixture.key()) { progress in
            told.append(progress)
            expectError(.callback) { try database["b"].put([:]) }
            expectError(.callback) { try database.close() }
        }
        for phase in [ConversionProgress.Phase.attachments, .data, .verification] {
            let ofPhase = told.filter { $0.phase == phase }
            #expect(ofPhase.count > 2, "\(phase)")
            #expect(ofPhase.allSatisfy { (0...1).contains($0.share) })
            #expect(zip(ofPhase, ofPhase.dropFirst()).allSatisfy { $0.bytes <= $1.bytes && $0.share <= $1.share })
        }
        #expect(told.last { $0.phase == .data }?.documents ?? 0 > 2_000)
    }
}
