internal import StorageProtocol
internal import Testing

@testable internal import SetteeKV

/// Bodies are read from where they are stored, and what was not requested is not looked at.
@Suite
struct ZeroCopyTests {
    private func address(_ transaction: any ReadTransaction, _ id: String) throws(StorageError) -> UInt {
        var address: UInt = 0
        _ = try transaction.record(try DocumentID(id), fields: .body) { (view) throws(StorageError) in
            address = view.withBody { $0.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) } }
        }
        return address
    }

    @Test("a body's address is that of the store's own bytes, in every reader", arguments: [10, 100_000])
    func addresses(length: Int) throws {
        let folder = try TestFolder()
        let engine = try folder.openEngine()
        defer { engine.close() }
        let json = #"{"x":"\#(String(repeating: "y", count: length))"}"#
        try engine.write { (tx) throws(StorageError) in
            try tx.add("a", json)
            try tx.add("b", json)
            try tx.change("a", .replaceKeepingOld(Array(json.utf8), oldSequence: 1))
        }
        let first = try #require(try engine.beginRead() as? LMDBReadTransaction)
        let second = try engine.beginRead()
        defer {
            first.end()
            second.end()
        }
        let found = try address(first, "a")
        #expect(try found == address(first, "a"))
        #expect(try found == address(second, "a"), "two snapshots lend the same bytes")
        try Array("a".utf8).withRawBytes { (key) throws(StorageError) in
            try first.base.withValue(of: key, in: .documents) { (value) throws(StorageError) in
                let start = UInt(bitPattern: value?.baseAddress)
                let end = start + UInt(value?.count ?? 0)
                #expect(found > start && found + UInt(json.utf8.count) == end, "the body ends the stored record")
            }
        }
        var listed: [UInt] = []
        try first.records(in: .all, descending: false, fields: .all) { (view) throws(StorageError) in
            listed.append(view.withBody { $0.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) } })
            return true
        }
        #expect(try listed == [found, address(second, "b")])
        var kept: [UInt] = []
        for transaction in [first, second] as [any ReadTransaction] {
            _ = try transaction.revisionBody(at: 1) { (json) throws(StorageError) in
                kept.append(json.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) })
            }
        }
        #expect(kept.count == 2 && kept[0] == kept[1])
    }

    @Test("a damaged body affects only those who read it")
    func untouchedBodies() throws {
        let folder = try TestFolder()
        let engine = try folder.openEngine()
        defer { engine.close() }
        try engine.write { (tx) throws(StorageError) in try tx.add("a") }
        // A compressed body without the rest of its head.
        try engine.tamper(.documents, Array("a".utf8), bytes("20 01 03312d61 0109 01"))
        try engine.read { (tx) throws(StorageError) in
            for fields: RecordFields in [.metadata, .winner, .tree, [.winner, .tree]] {
                #expect(try tx.changes(fields: fields) == ["1 a"])
                #expect(try tx.record(DocumentID("a"), fields: fields) { _ throws(StorageError) in })
            }
            #expect(code { _ = try tx.changes(fields: .body) } == .corrupt)
            #expect(code { _ = try tx.json("a") } == .corrupt)
        }
    }

    @Test("a listing by sequence without fields needs no record")
    func untouchedRecords() throws {
        let folder = try TestFolder()
        let engine = try folder.openEngine()
        defer { engine.close() }
        try engine.write { (tx) throws(StorageError) in try tx.add("a") }
        try engine.tamper(.documents, Array("a".utf8), nil)
        try engine.read { (tx) throws(StorageError) in
            #expect(try tx.changes() == ["1 a"])
            #expect(code { _ = try tx.changes(fields: .winner) } == .corrupt)
        }
    }
}
