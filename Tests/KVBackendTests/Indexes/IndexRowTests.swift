import StorageProtocol
import Testing

@testable import SetteeKV

/// Rows of indexes as the store holds them.
@Suite struct IndexRowTests {
    private let rows = [
        IndexRow(key: [0x61, 0], keyJSON: [0x31], valueJSON: [0x32, 0x33]),
        IndexRow(key: [], keyJSON: [], valueJSON: nil),
    ]

    /// A store with the document "d", whose rows are in the index "x".
    private func store() throws -> IndexTestStore {
        let test = try IndexTestStore()
        try test.add(["d"])
        try test.engine.write { (tx) throws(StorageError) in
            let state = IndexState(version: "v", collationVersion: "c", lastSequence: 300, lastChangedSequence: 2)
            try tx.setIndexState("x", state)
            try tx.replaceIndexRows("x", of: DocumentID("d"), sequence: 1, rows: rows)
            try tx.putIndexEntry("x", key: [5], value: [6])
        }
        return test
    }

    @Test func theStoredFormIsThatOfThePage() throws {
        let test = try store()
        let rows = try test.entries(.rows)
        #expect(
            rows.map(\.key) == [
                [0, 0, 0, 1, 0, 1, 0x64, 0, 1, 0, 0, 0, 1],
                [0, 0, 0, 1, 0x61, 0, 0xFF, 0, 1, 0x64, 0, 1, 0, 0, 0, 0],
            ]
        )
        #expect(rows.map(\.value) == [[0, 0], [1, 0x31, 1, 0x32, 0x33]])
        #expect(try test.entries(.emitted).map(\.key) == [[0, 0, 0, 1, 0x64]])
        #expect(try test.entries(.emitted).map(\.value) == [[0, 0, 1, 0x64, 1, 2, 2, 0x61, 0, 0]])
        #expect(try test.entries(.indexes).map(\.key) == [[0x78]])
        #expect(try test.entries(.indexes).map(\.value) == [[1, 2, 1, 0x76, 1, 0x63, 0xAC, 2, 2, 2, 1]])
        #expect(try test.entries(.entries).map(\.key) == [[0, 0, 0, 2, 5]])
    }

    @Test func rowsThatAreTheSameAreNotWritten() throws {
        let test = try store()
        let before = try test.engine.read { (tx) throws(StorageError) in try tx.counters().changeCounter }
        try test.engine.write { (tx) throws(StorageError) in
            let same = try tx.replaceIndexRows("x", of: DocumentID("d"), sequence: 1, rows: rows)
            #expect(!same)
        }
        let after = try test.engine.read { (tx) throws(StorageError) in try tx.counters().changeCounter }
        #expect(after == before)
    }

    /// As they were stored once: one document in a record.
    @Test func recordsOfOneDocumentAreRead() throws {
        let test = try store()
        try test.engine.tamper(.emitted, [0, 0, 0, 1, 0x64], [1, 2, 2, 0x61, 0, 0])
        #expect(try test.engine.problems() == [])
        try test.engine.write { (tx) throws(StorageError) in
            let same = try tx.replaceIndexRows("x", of: DocumentID("d"), sequence: 1, rows: rows)
            #expect(!same)
            try tx.replaceIndexRows("x", of: DocumentID("d"), sequence: 1, rows: [rows[0]])
            #expect(try tx.shownRows("x").count == 1)
        }
        #expect(try test.entries(.emitted).map(\.value) == [[0, 0, 1, 0x64, 1, 1, 2, 0x61, 0]])
        #expect(try test.engine.problems() == [])
    }

    @Test func keysThatCannotBeStoredAreRefusedBeforeAnythingIsWritten() throws {
        let test = try store()
        let long = IndexRow(key: [UInt8](repeating: 0, count: 3 << 20), keyJSON: [], valueJSON: nil)
        try test.engine.write { (tx) throws(StorageError) in
            #expect(
                code { try tx.replaceIndexRows("x", of: DocumentID("d"), sequence: 1, rows: [rows[1], long]) }
                    == .tooLarge
            )
            #expect(try tx.shownRows("x").count == 2)
        }
    }

    @Test(
        arguments: [
            (Table.rows, [0, 0, 0, 1, 0, 1, 0x64, 0, 1, 0, 0, 0], [0, 0]),
            (.rows, [0, 0, 0, 1, 0, 1, 0x64, 0, 1, 0, 0, 0, 1, 7], [0, 0]),
            (.rows, [0, 0, 0, 1, 0, 7], [0, 0]),
            (.rows, [0, 0, 0, 1], [0, 0]),
            (.rows, [0, 0, 0, 1, 0, 1, 0x64, 0, 1, 0, 0, 0, 1], []),
            (.rows, [0, 0, 0, 1, 0, 1, 0x64, 0, 1, 0, 0, 0, 1], [9, 1]),
            (.rows, [0, 0, 0, 1, 0, 1, 0x64, 0, 1, 0, 0, 0, 1], [0, 2]),
            (.rows, [0, 0, 0, 1, 0, 1, 0x64, 0, 1, 0, 0, 0, 1], [0, 0, 1]),
            (.emitted, [0, 0, 0, 1, 0x64], []),
            (.emitted, [0, 0, 0, 1, 0x64], [1, 3, 1, 1]),
            (.emitted, [0, 0, 0, 1, 0x64], [1, 2, 2, 0x61, 0, 0, 0]),
            (.emitted, [0, 0, 0, 1, 0x64], [1, 0]),
            (.emitted, [0, 0, 0, 1, 0x64], [1, 1, 1, 0x63]),
            (.emitted, [0, 0, 0, 1, 0x64], [0, 0]),
            (.emitted, [0, 0, 0, 1, 0x64], [0, 0, 1, 0x63, 1, 1, 1, 0x61]),
            (.emitted, [0, 0, 0, 1, 0x64], [0, 0, 1, 0x64, 1, 0]),
            (.indexes, [0x78], []),
            (.indexes, [0x78], [0, 1, 0x76, 1, 0x63, 1, 2, 2]),
            (.indexes, [0x78], [1, 1, 0xFF, 1, 0x63, 1, 2, 2]),
            (.indexes, [0x78], [1, 1, 0x76, 1, 0x63, 1, 2, 1]),
            (.indexes, [0x78], [1, 1, 0x76, 1, 0x63, 1, 2, 2, 2]),
        ] as [(Table, [UInt8], [UInt8])]
    )
    func damagedEntriesAreCorrupt(table: Table, key: [UInt8], value: [UInt8]) throws {
        let test = try store()
        #expect(try test.engine.problems() == [])
        try test.engine.tamper(table, key, value)
        #expect(try test.engine.problems() != [])
        let transaction = try test.engine.beginWrite()
        defer { transaction.rollback() }
        let codes = [
            code { _ = try transaction.shownRows("x") },
            code { try transaction.replaceIndexRows("x", of: DocumentID("d"), sequence: 1, rows: []) },
        ]
        #expect(codes.contains(.corrupt))
        #expect(Set(codes).isSubset(of: [.corrupt, nil]))
    }

    @Test func aRowThatIsMissingIsCorrupt() throws {
        let test = try store()
        try test.engine.tamper(.rows, [0, 0, 0, 1, 0, 1, 0x64, 0, 1, 0, 0, 0, 1], nil)
        for rows in [rows, []] {
            let transaction = try test.engine.beginWrite()
            defer { transaction.rollback() }
            let id = DocumentID("d")
            #expect(code { try transaction.replaceIndexRows("x", of: id, sequence: 1, rows: rows) } == .corrupt)
        }
    }

    @Test(
        arguments: [
            (Table.rows, [0, 0, 0, 1, 0, 1, 0x64, 0, 1, 0, 0, 0, 1], nil),
            (.rows, [0, 0, 0, 1, 0, 1, 0x65, 0, 1, 0, 0, 0, 1], [0, 0]),
            (.rows, [0, 0, 0, 2, 0, 1, 0x64, 0, 1, 0, 0, 0, 1], [0, 0]),
            (.emitted, [0, 0, 0, 1, 0x64], nil),
            (.emitted, [0, 0, 0, 2, 0x64], [1, 1, 1, 0x61]),
            (.indexes, [0x78], nil),
            (.indexes, [0x79], [1, 9, 1, 0x76, 1, 0x63, 1, 2, 0, 1]),
            (.indexes, [0x79], [9, 2, 1, 0x76, 1, 0x63, 1, 2, 0, 1]),
            (.indexes, [0x79], [9, 10, 1, 0x76, 1, 0x63, 1, 2, 0, 1]),
            (.indexes, [0x79], [1, 2]),
            (.dropped, [0, 0, 0, 0, 0, 0, 0, 2], []),
            (.entries, [0, 0, 0, 1, 5], [6]),
            (.entries, [0, 0, 0, 3, 5], [6]),
            (.entries, [0, 0], [6]),
            (.documents, [UInt8](repeating: 0x61, count: 480) + [1], [0, 0, 0, 0, 0, 0, 0, 1]),
            (.chunks, [0, 0, 0, 0, 0, 0, 0, 1, 5], [1]),
        ] as [(Table, [UInt8], [UInt8]?)]
    )
    func verifyFindsWhatDoesNotAgree(table: Table, key: [UInt8], value: [UInt8]?) throws {
        let test = try store()
        #expect(try test.engine.problems() == [])
        try test.engine.tamper(table, key, value)
        #expect(try test.engine.problems() != [])
    }

    /// Two continuations at each of 60 nodes: a key for each of 2^60 ways down.
    @Test func verifyEndsWhereKeysShareTheirChains() throws {
        let test = try store()
        let chunk = [UInt8](repeating: 0x61, count: 472)
        func number(_ node: UInt8) -> [UInt8] { [0, 0, 0, 0, 0, 0, 0, node] }
        try test.engine.tamper(.documents, [UInt8](repeating: 0x61, count: 480) + [1], number(1))
        for node in 1..<60 as Range<UInt8> {
            for first in [0x61, 0x62] as [UInt8] {
                try test.engine.tamper(.chunks, number(node) + [first] + chunk.dropFirst() + [1], number(node + 1))
            }
        }
        try test.engine.tamper(.chunks, number(60) + [1], [1])
        #expect(try test.engine.problems() != [])
    }
}
