internal import StorageConformance
import StorageProtocol
import Testing

@testable import SetteeKV

/// Rows of indexes against a sorted array.
@Suite struct IndexRandomTests {
    @Test(arguments: 1...6 as ClosedRange<UInt64>)
    func rowsAreThoseOfASortedArray(seed: UInt64) throws {
        let test = try IndexTestStore()
        var maker = KeyMaker(seed: seed, longest: 3_000)
        let ids = (0..<12).map { number in
            "d\(number % 4)" + String(repeating: "x", count: [0, 0, 1, 470, 480, 3_000, 65_000][number % 7])
                + "\(number)"
        }
        try test.add(ids)
        let before = try test.entries(.chunks).map(\.key)
        var model: [String: [IndexRow]] = [:]
        try test.engine.write { (tx) throws(StorageError) in
            for name in ["", "x", "y"] {
                try tx.setIndexState(name, IndexState(version: "1", collationVersion: "c"))
            }
            for id in ids.prefix(3) {
                let rows = [IndexRow(key: [1, 0], keyJSON: [0x31], valueJSON: nil)]
                for other in ["", "y"] {
                    let sequence = try tx.sequence(id)
                    try tx.replaceIndexRows(other, of: try DocumentID(id), sequence: sequence, rows: rows)
                }
            }
        }
        for round in 0..<6 {
            try test.engine.write { (tx) throws(StorageError) in
                for _ in 0..<5 {
                    let id = ids[maker.random.below(ids.count)]
                    var rows = maker.random.below(3) == 0 ? [] : (model[id] ?? [])
                    for _ in 0..<maker.random.below(6) {
                        rows.insert(maker.row(), at: maker.random.below(rows.count + 1))
                    }
                    let change = try tx.replaceIndexRows(
                        "x",
                        of: try DocumentID(id),
                        sequence: try tx.sequence(id),
                        rows: rows
                    )
                    #expect(change == ((model[id] ?? []) != rows), "seed \(seed)")
                    model[id] = rows
                }
            }
            try test.engine.read { (tx) throws(StorageError) in
                let all = try rows(of: model, tx)
                try check(all, &maker, tx, "seed \(seed), round \(round)")
            }
        }
        try test.engine.write { (tx) throws(StorageError) in
            for name in ["x", "y", ""] {
                try tx.putIndexEntry(name, key: maker.key(), value: [1])
                #expect(try tx.indexNames().contains(name))
                try tx.dropIndex(name)
            }
            #expect(try !tx.reclaimDroppedIndexes(for: .seconds(60)))
        }
        for table in [Table.rows, .emitted, .entries, .indexes, .dropped] { #expect(try test.entries(table).isEmpty) }
        #expect(try test.entries(.chunks).map(\.key) == before, "seed \(seed): only the chunks of documents are left")
    }

    private func rows(of model: [String: [IndexRow]], _ tx: any ReadTransaction) throws(StorageError) -> [ShownRow] {
        var all: [ShownRow] = []
        for (id, rows) in model {
            let sequence = try tx.sequence(id)
            for (emit, row) in rows.enumerated() {
                let emit = UInt32(emit)
                all.append(ShownRow(key: row.key, id: Array(id.utf8), emit: emit, sequence: sequence, row: row))
            }
        }
        return all.sorted(by: ShownRow.isBefore)
    }

    private func check(
        _ all: [ShownRow],
        _ maker: inout KeyMaker,
        _ tx: any ReadTransaction,
        _ comment: Comment
    ) throws(StorageError) {
        #expect(try tx.shownRows("x") == all, comment)
        #expect(try tx.indexState("x")?.rowCount == UInt64(all.count), comment)
        for _ in 0..<15 {
            let range = IndexRange(lower: maker.bound(all), upper: maker.bound(all))
            let inside = all.filter { range.holds($0) }
            #expect(try tx.shownRows("x", range) == inside, comment)
            #expect(try tx.shownRows("x", range, descending: true) == Array(inside.reversed()), comment)
        }
    }
}

extension KeyMaker {
    fileprivate mutating func row() -> IndexRow {
        let value: [UInt8]? = random.below(2) == 0 ? nil : [UInt8](repeating: 0x31, count: random.below(3))
        return IndexRow(key: key(), keyJSON: [UInt8](repeating: 0x32, count: random.below(300)), valueJSON: value)
    }

    /// A bound at a row, at all rows of its key or document, or somewhere.
    fileprivate mutating func bound(_ rows: [ShownRow]) -> IndexRange.Bound {
        var position = IndexPosition(key: key())
        if !rows.isEmpty && random.below(4) > 0 {
            let row = rows[random.below(rows.count)]
            position = IndexPosition(key: row.key)
            if random.below(3) > 0 { position.documentID = row.id }
            if random.below(2) > 0 { position.emit = row.emit }
        }
        switch random.below(5) {
        case 0: return .open
        case 1, 2: return .including(position)
        default: return .excluding(position)
        }
    }
}

extension IndexRange {
    /// The definition of a range that engines have to follow.
    fileprivate func holds(_ row: ShownRow) -> Bool {
        func order(_ position: IndexPosition) -> Int {
            let byKey = compareBytes(row.key, position.key)
            guard byKey == 0, let other = position.documentID else { return byKey }
            let byID = compareBytes(row.id, other)
            guard byID == 0, let emit = position.emit else { return byID }
            return Int(row.emit) - Int(emit)
        }
        switch lower {
        case .open: break
        case .including(let position): if order(position) < 0 { return false }
        case .excluding(let position): if order(position) <= 0 { return false }
        }
        switch upper {
        case .open: return true
        case .including(let position): return order(position) <= 0
        case .excluding(let position): return order(position) < 0
        }
    }
}

extension ReadTransaction {
    /// The sequence of a document's record.
    fileprivate func sequence(_ id: String) throws(StorageError) -> UInt64 {
        var sequence: UInt64 = 0
        _ = try record(try DocumentID(id), fields: .metadata) { (record) throws(StorageError) in
            sequence = record.sequence
        }
        return sequence
    }
}
