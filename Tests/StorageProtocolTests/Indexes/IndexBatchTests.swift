import Testing

@testable import StorageProtocol

/// Batches of rows, and what a replacement reports.
@Suite struct IndexBatchTests {
    private func row(_ key: String, _ value: String?) -> IndexRow {
        IndexRow(key: Array(key.utf8), keyJSON: Array("\"\(key)\"".utf8), valueJSON: value.map { Array($0.utf8) })
    }

    @Test func whatIsPutInComesOut() throws {
        let rows = [row("a", "1"), row("", ""), row("b", nil), row(String(repeating: "x", count: 9_000), "null")]
        var batch = IndexBatch()
        batch.begin(DocumentID("one"), sequence: 7)
        for row in rows { batch.add(row) }
        batch.begin(DocumentID("none"), sequence: 8)
        batch.begin(DocumentID("two"), sequence: .max)
        batch.add(rows[2])
        #expect(batch.documentCount == 3)
        #expect(batch.rowCount == 5)
        #expect((0..<5).map(batch.row) == rows + [rows[2]])
        #expect((0..<5).map(batch.document(ofRow:)) == [0, 0, 0, 0, 2])
        var seen: [String] = []
        try batch.forEachDocument { (id, sequence, rows) throws(StorageError) in
            seen.append("\(try DocumentID(stored: id)) \(sequence) \(rows)")
        }
        #expect(seen == ["one 7 0..<4", "none 8 4..<4", "two \(UInt64.max) 4..<5"])
        let bytes = rows.reduce(0) { $0 + $1.key.count + $1.keyJSON.count + ($1.valueJSON?.count ?? 0) }
        #expect(batch.byteCount == bytes + 3 + 4 + 3 + 1 + 3)
    }

    @Test func cancelTakesBackTheRowsOfTheLastDocument() throws {
        var batch = IndexBatch()
        batch.cancel()
        #expect(batch.isEmpty)
        batch.begin(DocumentID("a"), sequence: 1)
        batch.add(row("k", "1"))
        batch.begin(DocumentID("b"), sequence: 2)
        batch.add(row("l", "2"))
        batch.add(row("m", "3"))
        batch.cancel()
        #expect(batch.documentCount == 2)
        #expect(batch.rows(of: 1).isEmpty)
        batch.add(row("n", "4"))
        #expect(batch.rows(of: 1).map(batch.row) == [row("n", "4")])
        #expect(batch.rows(of: 0).map(batch.row) == [row("k", "1")])
    }

    @Test func aCopyStaysAsItIs() throws {
        var batch = IndexBatch()
        batch.begin(DocumentID("a"), sequence: 1)
        batch.add(row("k", "1"))
        let copy = batch
        batch.removeAll()
        #expect(batch.isEmpty && batch.rowCount == 0 && batch.byteCount == 0)
        batch.begin(DocumentID("b"), sequence: 2)
        batch.add(row("z", "9"))
        #expect(copy.row(0) == row("k", "1"))
        #expect(batch.row(0) == row("z", "9"))
    }

    @Test(arguments: [true, false]) func changesAreToldAsRecorded(recordsPositions: Bool) {
        var changes = RowChanges(recordsPositions: recordsPositions)
        let (key, id, noKey, other): ([UInt8], [UInt8], [UInt8], [UInt8]) = ([1, 2], [3], [], [5])
        changes.record(key: key.span.bytes, id: id.span.bytes, emit: 4)
        changes.record(key: noKey.span.bytes, id: other.span.bytes, emit: .max)
        var seen: [String] = []
        changes.forEach { key, id, emit in
            seen.append("\(key.withUnsafeBytes { Array($0) }) \(id.withUnsafeBytes { Array($0) }) \(emit)")
        }
        #expect(seen == (recordsPositions ? ["[1, 2] [3] 4", "[] [5] \(UInt32.max)"] : []))
        #expect(changes.positionCount == seen.count)
        changes.documents = 3
        changes.removeAll()
        #expect(changes.documents == 0 && changes.positionCount == 0)
    }
}
