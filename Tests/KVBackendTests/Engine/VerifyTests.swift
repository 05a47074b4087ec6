internal import StorageProtocol
internal import Testing

@testable internal import SetteeKV

/// `verify` reports every inconsistency between the tables.
@Suite
struct VerifyTests {
    /// A change of one entry, and the area of the problem.
    struct Damage: Sendable, CustomTestStringConvertible {
        var what: String
        var table: Table
        var key: [UInt8]
        var value: [UInt8]?
        var area: String

        var testDescription: String { what }
    }

    private static func number(_ n: UInt64) -> [UInt8] { (0..<8).map { UInt8(truncatingIfNeeded: n >> (56 - 8 * $0)) } }
    private static let long = String(repeating: "l", count: 1_000)

    static let damages = [
        Damage(what: "a record that is gone", table: .documents, key: Array("a".utf8), area: "sequence index"),
        Damage(what: "a record of garbage", table: .documents, key: Array("a".utf8), value: [0xFF], area: "records"),
        Damage(what: "an entry that is gone", table: .sequences, key: number(2), area: "sequence index"),
        Damage(what: "an entry of garbage", table: .sequences, key: number(2), value: [0], area: "sequence index"),
        Damage(
            what: "an entry of no record",
            table: .sequences,
            key: number(1),
            value: [0, 0x7A],
            area: "sequence index"
        ),
        Damage(
            what: "an entry with other flags",
            table: .sequences,
            key: number(2),
            value: [1, 0x62],
            area: "sequence index"
        ),
        Damage(what: "an entry beyond the count", table: .sequences, key: number(99), value: [0, 0x62], area: "count"),
        Damage(
            what: "an entry with a short key",
            table: .sequences,
            key: [1],
            value: [0, 0x62],
            area: "sequence index"
        ),
        Damage(
            what: "an entry of sequence 0",
            table: .sequences,
            key: number(0),
            value: [0, 0x61],
            area: "sequence index"
        ),
        Damage(
            what: "an entry with unknown flags",
            table: .sequences,
            key: number(2),
            value: [16, 0x62],
            area: "sequence index"
        ),
        Damage(
            what: "a body of no record",
            table: .bodies,
            key: number(1),
            value: [1, 0x7A, 0, 0x7B, 0x7D],
            area: "body"
        ),
        Damage(what: "a body without an owner", table: .bodies, key: number(1), value: [9, 0x61, 0], area: "body"),
        Damage(
            what: "a body of no known form",
            table: .bodies,
            key: number(1),
            value: [1, 0x61, 9, 9, 9],
            area: "body"
        ),
        Damage(
            what: "an expiration without a place",
            table: .expirations,
            key: Array("b".utf8),
            value: number(5),
            area: "expiry"
        ),
        Damage(
            what: "an expiration of no record",
            table: .expirations,
            key: Array("z".utf8),
            value: number(5),
            area: "expiry"
        ),
        Damage(
            what: "an expiration at another time",
            table: .expirations,
            key: Array("a".utf8),
            value: number(5),
            area: "expiry"
        ),
        Damage(
            what: "an expiration of garbage",
            table: .expirations,
            key: Array("a".utf8),
            value: [5],
            area: "expiry"
        ),
        Damage(what: "a place without an expiration", table: .expirations, key: Array("a".utf8), area: "expiry"),
        Damage(what: "a place without an ID", table: .expiries, key: number(1), value: [], area: "expiry"),
        Damage(
            what: "a hidden entry that is no text",
            table: .hidden,
            key: number(5),
            value: [0xFF],
            area: "hidden entries"
        ),
        Damage(
            what: "a local document of garbage",
            table: .locals,
            key: Array("_local/x".utf8),
            value: [9],
            area: "local documents"
        ),
        Damage(what: "an info key that is no text", table: .info, key: [0xFF], value: [], area: "info"),
        Damage(what: "a reference of garbage", table: .blobs, key: [1], value: [], area: "blob references"),
        Damage(what: "counters of garbage", table: .meta, key: Array("counters".utf8), value: [0xFF], area: "count"),
        Damage(what: "counters that are gone", table: .meta, key: Array("counters".utf8), area: "count"),
        Damage(
            what: "a wrong count",
            table: .meta,
            key: Array("counters".utf8),
            value: [9, 9, 7, 9, 9],
            area: "count"
        ),
        Damage(what: "a state of garbage", table: .indexes, key: Array("x".utf8), value: [9], area: "indexes"),
        Damage(what: "a state that is gone", table: .indexes, key: Array("x".utf8), area: "indexes"),
        Damage(what: "a list that is gone", table: .emitted, key: [0, 0, 0, 1] + Array("a".utf8), area: "indexes"),
        Damage(
            what: "a list with another key",
            table: .emitted,
            key: [0, 0, 0, 1] + Array("a".utf8),
            value: [3, 1, 1, 0x6C],
            area: "indexes"
        ),
        Damage(
            what: "a row that is gone",
            table: .rows,
            key: [0, 0, 0, 1] + bytes("6b 0001 61 0001 00000000"),
            area: "indexes"
        ),
        Damage(what: "a row of no index", table: .rows, key: [0, 0, 0, 9, 1], value: [0, 0], area: "indexes"),
        Damage(what: "a summary of no index", table: .entries, key: [0, 0, 0, 9, 1], value: [], area: "indexes"),
    ]

    private func makeStore(_ folder: TestFolder) throws(StorageError) -> LMDBEngine {
        let engine = try folder.openEngine()
        try engine.write { (tx) throws(StorageError) in
            try tx.add("a", #"{"n":1}"#)
            try tx.add("b")
            try tx.add(Self.long)
            try tx.change("a", .replaceKeepingOld(Array("{}".utf8), oldSequence: 1))
            try tx.setExpiration(1_000, of: DocumentID("a"))
            try tx.setExpiration(2_000, of: DocumentID(Self.long))
            try tx.add("c")
            try tx.purge("c")
            let text = Array("{}".utf8)
            try tx.putLocalDocument(DocumentID("_local/x"), revision: text.span.bytes, json: text.span.bytes)
            try tx.setIndexState("x", IndexState(version: "1", collationVersion: "c"))
            let row = IndexRow(key: [0x6B], keyJSON: Array("1".utf8), valueJSON: nil)
            try tx.replaceIndexRows("x", of: DocumentID("a"), sequence: 3, rows: [row])
            try tx.putIndexEntry("x", key: [], value: [1])
        }
        return engine
    }

    @Test("every kind of damage is found, and reported by its area", arguments: damages)
    func finds(damage: Damage) throws {
        let folder = try TestFolder()
        let engine = try makeStore(folder)
        defer { engine.close() }
        #expect(try engine.problems() == [])
        let before = try engine.entries(damage.table)
        try engine.tamper(damage.table, damage.key, damage.value)
        #expect(try engine.entries(damage.table) != before, "the damage is done")
        let problems = try engine.problems()
        #expect(problems.contains { $0.hasPrefix(damage.area + ":") }, "\(problems)")
    }

    /// Two runs used to report the same damage in different orders.
    @Test("indexes are reported in the order of their numbers")
    func indexesInOrder() throws {
        let folder = try TestFolder()
        let engine = try makeStore(folder)
        defer { engine.close() }
        for number in UInt32(10)..<30 {
            var state = IndexState(version: "1", collationVersion: "1")
            state.rowCount = 7
            let index = StoredIndex(number: number, entries: number + 100, state: state)
            let value = [UInt8](unsafeUninitializedCapacity: index.length) { buffer, count in
                index.write(to: UnsafeMutableRawBufferPointer(buffer))
                count = index.length
            }
            // Names in a different order than numbers.
            try engine.tamper(.indexes, Array("index \(99 - number)".utf8), value)
        }
        let told = try engine.problems().filter { $0.contains("7 counted") }
        #expect(told.count == 20)
        #expect(told == told.sorted(by: >))
    }

    @Test("a missing chunk is reported")
    func chunks() throws {
        let folder = try TestFolder()
        let engine = try makeStore(folder)
        defer { engine.close() }
        let entry = try #require(try engine.entries(.chunks).first?.split(separator: " ").first)
        try engine.tamper(.chunks, bytes(String(entry)), nil)
        #expect(try !engine.problems().isEmpty)
    }

    @Test("what is damaged is read as damage: every reader throws, none traps", arguments: damages)
    func readersThrow(damage: Damage) throws {
        let folder = try TestFolder()
        let engine = try makeStore(folder)
        defer { engine.close() }
        try engine.tamper(damage.table, damage.key, damage.value)
        let transaction = try engine.beginRead()
        defer { transaction.end() }
        func attempt(_ body: () throws(StorageError) -> Void) {
            do throws(StorageError) { try body() } catch {
                #expect([.corrupt, .notFound].contains(error.code), "\(error)")
            }
        }
        attempt { () throws(StorageError) in _ = try transaction.counters() }
        attempt { () throws(StorageError) in _ = try transaction.json("a") }
        attempt { () throws(StorageError) in _ = try transaction.changes(fields: .all) }
        attempt { () throws(StorageError) in _ = try transaction.changes(descending: true) }
        attempt { () throws(StorageError) in
            try transaction.records(in: .all, descending: false, fields: .all) { _ throws(StorageError) in true }
        }
        attempt { () throws(StorageError) in try transaction.revisionBodies { _, _, _ throws(StorageError) in true } }
        attempt { () throws(StorageError) in
            try transaction.hiddenEntries(sequences: 0...UInt64.max) { _, _ throws(StorageError) in true }
        }
        attempt { () throws(StorageError) in try transaction.localDocuments { _, _, _ throws(StorageError) in true } }
        attempt { () throws(StorageError) in
            try transaction.expirations(through: .max) { _, _ throws(StorageError) in true }
        }
        attempt { () throws(StorageError) in _ = try transaction.allInfo() }
        attempt { () throws(StorageError) in try transaction.blobReferences { _ throws(StorageError) in true } }
        attempt { () throws(StorageError) in
            try transaction.indexRows("x", in: .all, descending: false) { (row) throws(StorageError) in
                _ = try row.sequence()
                return true
            }
        }
        attempt { () throws(StorageError) in
            try transaction.indexEntries("x", in: .all, descending: false) { _, _ throws(StorageError) in true }
        }
    }
}
