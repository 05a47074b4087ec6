internal import StorageEngineKit
internal import StorageProtocol

extension MemoryWriteTransaction {
    func setIndexState(_ name: String, _ state: IndexState) throws(StorageError) {
        try checkWrite()
        let key = ByteKey(name)
        let found: Void? = try self.state.indexes.modify(key) { (index) throws(StorageError) in
            try state.requireSettable(on: index.state)
            index.state = state
        }
        if found == nil { self.state.indexes.set(key, MemoryIndex(name: name, state: state)) }
        didWrite()
    }

    func replaceIndexRows(
        _ name: String,
        by batches: [IndexBatch],
        areNew: Bool,
        changes: inout RowChanges
    ) throws(StorageError) {
        try checkWrite()
        var hasWritten = false
        let found: Void? = try state.indexes.modify(ByteKey(name)) { (index) throws(StorageError) in
            for batch in batches {
                for document in 0..<batch.documentCount where index.replaceRows(batch, document, &changes) {
                    hasWritten = true
                }
            }
        }
        if found == nil { throw .noIndex(name) }
        if hasWritten { didWrite() }
    }

    func fillIndex(
        _ name: String,
        from load: IndexLoad,
        rows: Range<Int>,
        documents: Range<Int>
    ) throws(StorageError) {
        try transactionGuard.noting { () throws(StorageError) in
            try modifyIndex(name) { (index) throws(StorageError) in
                guard index.state.isFilling else { throw .indexIsNotFilling(name) }
                try load.forEachRow(rows) { (row, id, emit) throws(StorageError) in
                    let place = RowKey(key: row.key, id: id, emit: emit)
                    guard index.rows.set(place, row) == nil else {
                        throw .corrupt("An index has a row already that it is filled with")
                    }
                }
                load.forEachDocument(documents) { id, sequence, rows in
                    let kept = index.state.keepsSequences ? sequence : 0
                    index.documents.set(ByteKey(id), IndexedDocument(sequence: kept, keys: rows.map(\.key)))
                }
            }
        }
    }

    func putIndexEntries(_ name: String, _ entries: IndexEntries) throws(StorageError) {
        try checkWrite()
        guard state.indexes[ByteKey(name)] != nil else { throw .noIndex(name) }
        try entries.requireStorable()
        guard entries.count > 0 else { return }
        try modifyIndex(name) { (index) throws(StorageError) in
            entries.forEach { key, value in
                index.entries.set(ByteKey([UInt8](copying: key)), [UInt8](copying: value))
            }
        }
    }

    func removeIndexEntries(_ name: String, in range: ByteRange) throws(StorageError) {
        try modifyIndex(name) { (index) throws(StorageError) in
            var keys: [ByteKey] = []
            try index.entries.visit(isBefore: range.isBefore, isNotAfter: range.isNotAfter) {
                (key, _) throws(StorageError) in
                keys.append(key)
                return true
            }
            for key in keys { index.entries.remove(key) }
        }
    }

    /// The old entries are freed in parts, like those of a dropped index.
    func removeAllIndexEntries(_ name: String) throws(StorageError) {
        var waste: MemoryIndex?
        try modifyIndex(name) { (index) throws(StorageError) in
            var old = MemoryIndex(name: name, state: index.state)
            swap(&old.entries, &index.entries)
            waste = old
        }
        if let waste { state.droppedIndexes.append(waste) }
    }

    func dropIndex(_ name: String) throws(StorageError) {
        try checkWrite()
        guard let index = state.indexes.remove(ByteKey(name)) else { return }
        state.droppedIndexes.append(index)
        didWrite()
    }

    /// How many entries are removed between two checks of the time.
    private static let entriesBetweenLooks = 64

    /// Frees dropped indexes in parts: freeing a whole one at once would take time in proportion to its rows.
    func reclaimDroppedIndexes(for limit: Duration) throws(StorageError) -> Bool {
        try checkWrite()
        let end = ContinuousClock.now + limit
        while !state.droppedIndexes.isEmpty {
            didWrite()
            for _ in 0..<MemoryWriteTransaction.entriesBetweenLooks {
                let place = state.droppedIndexes.count - 1
                guard try !state.droppedIndexes[place].removeSome() else { continue }
                state.droppedIndexes.removeLast()
                break
            }
            if ContinuousClock.now >= end { break }
        }
        return !state.droppedIndexes.isEmpty
    }

    private func modifyIndex(
        _ name: String,
        _ change: (inout MemoryIndex) throws(StorageError) -> Void
    ) throws(StorageError) {
        try checkWrite()
        let found: Void? = try state.indexes.modify(ByteKey(name), change)
        if found == nil { throw .noIndex(name) }
        didWrite()
    }
}

extension MemoryIndex {
    /// Removes an entry of each kind. Returns false if there are none left.
    fileprivate mutating func removeSome() throws(StorageError) -> Bool {
        let removed = [try rows.removeFirst(), try documents.removeFirst(), try entries.removeFirst()]
        return removed.contains(true)
    }

    /// Returns whether anything has changed.
    fileprivate mutating func replaceRows(
        _ batch: IndexBatch,
        _ document: Int,
        _ changes: inout RowChanges
    ) -> Bool {
        let key = ByteKey(batch.withID(of: document) { id in unsafe id.withUnsafeBytes { unsafe Array($0) } })
        let before = documents[key]
        let old = (before?.keys ?? []).enumerated().map { emit, sortKey in
            rows[RowKey(key: sortKey, id: key.bytes, emit: UInt32(emit))]
        }
        let new = batch.rows(of: document).map(batch.row)
        let sequence = state.keepsSequences ? batch.sequence(of: document) : 0
        if old == new && (new.isEmpty || before?.sequence == sequence) { return false }
        if new.isEmpty {
            documents.remove(key)
        } else {
            documents.set(key, IndexedDocument(sequence: sequence, keys: new.map(\.key)))
        }
        guard old != new else { return true }
        changes.documents += 1
        for emit in 0..<max(old.count, new.count) {
            let before = emit < old.count ? old[emit] : nil
            let after = emit < new.count ? new[emit] : nil
            if before == after { continue }
            if let before {
                let place = RowKey(key: before.key, id: key.bytes, emit: UInt32(emit))
                rows.remove(place)
                if before.key != after?.key { changes.record(place) }
            }
            if let after {
                let place = RowKey(key: after.key, id: key.bytes, emit: UInt32(emit))
                rows.set(place, after)
                changes.record(place)
            }
        }
        return true
    }
}

extension RowChanges {
    fileprivate mutating func record(_ place: RowKey) {
        unsafe record(key: place.key.span.bytes, id: place.id.span.bytes, emit: place.emit)
    }
}
