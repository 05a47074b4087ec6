import Foundation
import Settee
import SetteeTestSupport
import StorageConformance
import StorageProtocol
import Testing

@testable import SetteeEngine
@testable import SetteeViews

/// Databases of every type in a folder of its own, with something of every kind in them.
struct ConversionFixture {
    let bed: EncryptedFixture

    init() throws { bed = try EncryptedFixture() }

    /// Every ordered pair of types.
    static let pairs = Storage.everyPersistent.flatMap { source in
        Storage.everyPersistent.filter { $0 != source }.map { (source, $0) }
    }

    func make(_ type: StorageType, named name: String = "test") throws -> Database {
        try bed.open(name, type, key: Storage.key(type))
    }

    func open(_ type: StorageType, named name: String = "test") throws -> Database {
        try bed.open(name, nil, key: Storage.key(type))
    }

    static func convert(_ database: Database, to type: StorageType) throws {
        let key = try Storage.key(type)
        try database.convert(to: type, key: key, decrypt: key == nil)
    }

    /// Conflicts, tombstones, purges, attachments, local documents, expiries, info values, twins, long IDs and views.
    func fill(_ database: Database, documents: Int = 60) throws {
        let long = String(repeating: "long", count: 300)
        try database.inTransaction {
            for number in 0..<documents { try database["d\(number)"].put(["n": JSONValue(number), "kind": "x"]) }
            for name in ["caf\u{E9}", "cafe\u{301}", long, long + "2"] { try database[name].put(["n": 0]) }
            for number in 0..<documents / 3 { try database["d\(number)"].update { $0["m"] = JSONValue(number) } }
            for number in 0..<documents / 6 { try database["d\(number)"].delete() }
        }
        try database["d10"].purge()
        let history = try [RevisionID("2-ff"), RevisionID("1-ee")]
        _ = try database.forceInsert(DocumentID("d11"), history: history, json: bytes(#"{"n":11}"#), isDeleted: false)
        for (number, count) in [(20, 0), (21, 10), (22, 70_000), (23, 70_000), (24, 300_000)] {
            try database["d\(number)"].setAttachment(
                named: "file",
                content: [UInt8](repeating: UInt8(number % 23), count: count)
            )
        }
        try database["d24"].removeAttachment(named: "file")
        try database["d25"].setExpiration(Date(timeIntervalSinceNow: 1_000_000))
        try database["_local/checkpoint"].put(["sequence": 7])
        try database.info.set("value", for: "key")
        let view = database.view("by-n")
        try view.define(ViewDefinition(keys: [JSONPointer("/n")], reduce: "_count"))
        _ = try view.query().run()
    }

    /// What the engine of an open database holds.
    func contents(_ database: Database) throws -> StoreContents {
        let generation = try database.enter()
        defer { database.leave(generation) }
        return try generation.engine.read { (transaction) throws(StorageError) in try transaction.contents() }
    }

    func export(_ database: Database) throws -> [String] {
        var text: [UInt8] = []
        _ = try database.exportAll { text += $0 }
        return String(decoding: text, as: UTF8.self).split(separator: "\n").map(String.init)
    }

    func keys(_ database: Database) throws -> [String] {
        var query = database.view("by-n").query()
        query.reduce = false
        return try query.run().map { "\($0.key) \($0.documentID?.string ?? "")" }
    }

    /// The folders of generations.
    func generations(_ name: String = "test") throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: bed.path(name)).sorted()
            .filter { $0.hasPrefix("data-") || $0.hasPrefix("blobs-") || $0.hasPrefix(".settee") }
    }
}
