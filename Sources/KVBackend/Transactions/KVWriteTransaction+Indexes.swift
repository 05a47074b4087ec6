internal import StorageEngineKit
internal import StorageProtocol

extension KVWriteTransaction {
    func setIndexState(_ name: String, _ state: IndexState) throws(StorageError) {
        try checkWrite()
        try noting { () throws(StorageError) in
            var state = state
            if var index = try storedIndex(name) {
                try state.requireSettable(on: index.state)
                state.rowCount = index.state.rowCount
                index.state = state
                try put(index, name)
            } else {
                state.rowCount = 0
                let index = StoredIndex(number: try takeIndexNumber(), entries: try takeIndexNumber(), state: state)
                try put(index, name)
            }
        }
    }

    func replaceIndexRows(
        _ name: String,
        by batches: [IndexBatch],
        areNew: Bool,
        changes: inout RowChanges
    ) throws(StorageError) {
        try checkWrite()
        try noting { () throws(StorageError) in
            let index = try existingIndex(name)
            let gained = try batches.pinned { (batches) throws(StorageError) in
                try batches.forEachDocument { (_, document) throws(StorageError) in
                    try checkLengths(document, batches)
                }
                var replacement = try replacement(in: index)
                if areNew {
                    try replacement.add(batches, &changes)
                } else {
                    try replacement.replace(batches, &changes)
                }
                return replacement.rowsGained
            }
            try count(gained, in: index, name)
        }
    }

    func fillIndex(
        _ name: String,
        from load: IndexLoad,
        rows: Range<Int>,
        documents: Range<Int>
    ) throws(StorageError) {
        try checkWrite()
        try noting { () throws(StorageError) in
            let index = try existingIndex(name)
            guard index.state.isFilling else { throw .indexIsNotFilling(name) }
            for place in rows {
                let row = load.batches.row(load.rows[place])
                try unsafe RowKey.checkLength(key: row.key, id: row.id)
            }
            for place in documents {
                try checkLengths(load.batches.document(load.documents[place]), load.batches)
            }
            var replacement = try replacement(in: index)
            try replacement.add(load, rows: rows, documents: documents)
            try count(rows.count, in: index, name)
        }
    }

    private func replacement(in index: StoredIndex) throws(StorageError) -> KVRowReplacement<Store> {
        let blocks = try KVDocumentBlocks(self, index.number)
        return KVRowReplacement(self, index, rows: try base.cursor(.rows), blocks: blocks)
    }

    /// Adds to the number of an index's rows.
    private func count(_ gained: Int, in index: StoredIndex, _ name: String) throws(StorageError) {
        if gained == 0 { return }
        var index = index
        let (count, isImpossible) = index.state.rowCount.addingReportingOverflow(UInt64(bitPattern: Int64(gained)))
        guard isImpossible == (gained < 0) else { throw .damagedIndex }
        index.state.rowCount = count
        try put(index, name)
    }

    /// Checks that a document's rows can be stored.
    ///
    /// - Throws: `tooLarge` (413).
    private func checkLengths(
        _ document: PinnedDocument,
        _ batches: borrowing PinnedBatches
    ) throws(StorageError) {
        for emit in 0..<document.rowCount {
            try unsafe RowKey.checkLength(key: batches.key(document.row(emit)), id: document.id)
        }
        // The longest value is 1 GiB.
        guard DocumentBlock.length(document, document.sequence, of: batches) < 1 << 30 else {
            throw StorageError(
                .tooLarge,
                "A document emitted sort keys of more than 1 GiB. Emit fewer or shorter keys."
            )
        }
    }

    func put(_ index: StoredIndex, _ name: String) throws(StorageError) {
        try unsafe name.withRawBytes { (name) throws(StorageError) in
            _ = try unsafe putLong(name, in: .indexes, length: index.length) { unsafe index.write(to: $0) }
        }
    }
}
