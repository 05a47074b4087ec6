internal import StorageProtocol

extension RandomRun {
    /// Replaces the rows of `count` documents from number `first` on, in two batches, by rows made from `content`.
    func emit(_ tx: any WriteTransaction, _ name: String, _ first: Int, _ count: Int, _ content: Int) throws {
        guard var index = model.indexes[bytes(name)] else { return }
        var batches = [IndexBatch(), IndexBatch()]
        var expected = ExpectedChanges()
        var areNew = true
        for number in 0..<count {
            let id = try DocumentID(RandomNames.ids[(first + number * 7) % RandomNames.ids.count])
            let sequence = model.records[id]?.sequence
            // Unchanged in seven of eight cases, so that documents with the same rows occur too.
            let salt = (content + number) % 8 == 0 ? content : 0
            let rows = rows(of: id, sequence == nil ? 0 : (number + content / 8) % 4, salt)
            let half = number * 2 < count ? 0 : 1
            batches[half].begin(id, sequence: sequence ?? 0)
            if content % 5 == 0 {
                batches[half].add(IndexRow(key: [1], keyJSON: [2], valueJSON: [3]))
                batches[half].cancel()
            }
            for row in rows { batches[half].add(row) }
            let old = index.documents[id]?.rows ?? []
            if !old.isEmpty { areNew = false }
            expected.add(id, old, rows)
            index.documents[id] = rows.isEmpty ? nil : (sequence ?? 0, rows)
        }
        index.state.rowCount = UInt64(index.documents.values.reduce(0) { $0 + $1.rows.count })
        model.indexes[bytes(name)] = index

        var changes = RowChanges(recordsPositions: true)
        try tx.replaceIndexRows(name, by: batches, areNew: areNew, changes: &changes)
        try check(changes.documents, expected.documents, "how many documents have other rows")
        var positions: [String] = []
        changes.forEach { key, id, emit in positions.append(ExpectedChanges.position(text(key), text(id), emit)) }
        try check(positions.sorted(), expected.positions.sorted(), "positions of rows that changed")
        for id in try batches[0].ids + batches[1].ids {
            try check(try tx.indexedSequence(name, id), index.documents[id]?.sequence, "the sequence indexed")
        }
    }

    private func rows(of id: DocumentID, _ count: Int, _ salt: Int) -> [IndexRow] {
        let seed = id.string.utf8.count * 3 + salt
        return (0..<count).map { number in
            IndexRow(
                key: RandomNames.key(seed + number * 3),
                keyJSON: bytes("\(seed)"),
                valueJSON: (seed + number) % 3 == 0 ? nil : RandomNames.json(seed + number + salt / 100)
            )
        }
    }
}

/// The changes that a replacement should report.
private struct ExpectedChanges {
    var documents = 0
    var positions: [String] = []

    static func position(_ key: String, _ id: String, _ emit: UInt32) -> String { "\(emit) \(id) \(key)" }

    mutating func add(_ id: DocumentID, _ old: [IndexRow], _ new: [IndexRow]) {
        if old != new { documents += 1 }
        for emit in 0..<max(old.count, new.count) {
            let before = emit < old.count ? old[emit] : nil
            let after = emit < new.count ? new[emit] : nil
            if before == after { continue }
            for key in Set([before?.key, after?.key].compactMap { $0 }) {
                positions.append(Self.position(text(key), id.string, UInt32(emit)))
            }
        }
    }
}

extension IndexBatch {
    fileprivate var ids: [DocumentID] {
        get throws(StorageError) {
            var ids: [DocumentID] = []
            try forEachDocument { (id, _, _) throws(StorageError) in ids.append(try DocumentID(stored: id)) }
            return ids
        }
    }
}
