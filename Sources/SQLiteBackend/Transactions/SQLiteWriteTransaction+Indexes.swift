internal import StorageEngineKit
internal import StorageProtocol

extension SQLiteWriteTransaction {
    func setIndexState(_ name: String, _ state: IndexState) throws(StorageError) {
        try checkWrite()
        guard let last = Int64(exactly: state.lastSequence), let changed = Int64(exactly: state.lastChangedSequence)
        else {
            throw .impossibleCount
        }
        let present = try index(name)?.state
        if let present { try state.requireSettable(on: present) }
        let isNew = present == nil
        let entries = isNew ? try takeEntriesNumber() : 0
        try unsafe name.withRawBytes { (name) throws(StorageError) in
            try unsafe state.version.withRawBytes { (version) throws(StorageError) in
                try unsafe state.collationVersion.withRawBytes { (collation) throws(StorageError) in
                    try run(Query(isNew ? .addIndex : .setIndexState)) { statement in
                        unsafe statement.bindText(version, 1)
                        unsafe statement.bindText(collation, 2)
                        statement.bind(last, 3)
                        statement.bind(changed, 4)
                        unsafe statement.bindText(name, 5)
                        if isNew {
                            statement.bind(Int64(state.keepsSequences ? 1 : 0), 6)
                            statement.bind(entries, 7)
                        }
                    }
                }
            }
        }
        if isNew {
            for table in Schema.indexTables(connection.lastInsertedRow) { try define(table.sql) }
        }
        didWrite()
    }

    func replaceIndexRows(
        _ name: String,
        by batches: [IndexBatch],
        areNew: Bool,
        changes: inout RowChanges
    ) throws(StorageError) {
        try checkWrite()
        let (number, state, _) = try existingIndex(name)
        do throws(StorageError) {
            try batches.pinned { (batches) throws(StorageError) in
                try batches.forEachDocument { (_, document) throws(StorageError) in
                    if document.sequence > UInt64(Int64.max) { throw .impossibleCount }
                    try checkLength(document, of: batches)
                }
                var replacement = SQLiteRowReplacement(self, number, keepsSequences: state.keepsSequences)
                if areNew {
                    try replacement.add(batches, &changes)
                } else {
                    try replacement.replace(batches, &changes)
                }
                try count(replacement.rowsGained, in: number)
            }
        } catch {
            didFail(error)
            throw error
        }
    }

    func fillIndex(
        _ name: String,
        from load: IndexLoad,
        rows: Range<Int>,
        documents: Range<Int>
    ) throws(StorageError) {
        try checkWrite()
        let (number, state, _) = try existingIndex(name)
        guard state.isFilling else { throw .indexIsNotFilling(name) }
        let areShort = DocumentBlock.longest(of: load.batches) < Self.mostBytes
        for place in documents {
            let document = load.batches.document(load.documents[place])
            if document.sequence > UInt64(Int64.max) { throw .impossibleCount }
            if !areShort { try checkLength(document, of: load.batches) }
        }
        do throws(StorageError) {
            var replacement = SQLiteRowReplacement(self, number, keepsSequences: state.keepsSequences)
            try replacement.insertRows(load.rows, rows, of: load.batches)
            try replacement.addDocuments(load.documents, documents, of: load.batches)
            try count(rows.count, in: number)
        } catch {
            didFail(error)
            throw error
        }
    }

    /// The limit of SQLite's values.
    private static var mostBytes: Int { 1_000_000_000 }

    /// Checks that a document's keys can be stored.
    ///
    /// - Throws: `tooLarge` (413).
    private func checkLength(_ document: PinnedDocument, of batches: borrowing PinnedBatches) throws(StorageError) {
        guard DocumentBlock.length(document, document.sequence, of: batches) < Self.mostBytes else {
            throw StorageError(
                .tooLarge,
                "A document emitted sort keys of more than 1,000,000,000 bytes. Emit fewer or shorter keys."
            )
        }
    }

    /// Adds to the number of an index's rows.
    private func count(_ gained: Int, in number: Int64) throws(StorageError) {
        if gained == 0 { return }
        try run(Query(.addIndexRows)) { statement in
            statement.bind(Int64(gained), 1)
            statement.bind(number, 2)
        }
    }

    /// Creates or drops a table.
    func define(_ sql: String) throws(StorageError) {
        do {
            try connection.execute(sql, "Changing an index's tables")
        } catch {
            didFail(error)
            throw error
        }
    }
}
