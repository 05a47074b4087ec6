internal import StorageProtocol

extension MemoryReadTransaction {
    func indexNames() throws(StorageError) -> [String] {
        try check()
        var names: [String] = []
        try state.indexes.visit { (_, index) throws(StorageError) in
            names.append(index.name)
            return true
        }
        return names
    }

    func indexState(_ name: String) throws(StorageError) -> IndexState? {
        try check()
        guard let index = state.indexes[ByteKey(name)] else { return nil }
        var state = index.state
        state.rowCount = UInt64(index.rows.count)
        return state
    }

    func indexRows(
        _ name: String,
        in range: IndexRange,
        descending: Bool,
        _ body: (borrowing IndexRowView) throws(StorageError) -> Bool
    ) throws(StorageError) {
        try check()
        guard let index = state.indexes[ByteKey(name)] else { throw .noIndex(name) }
        let sequences = MemoryIndexSequences(self, index)
        defer { withExtendedLifetime(sequences) {} }
        try hand { () throws(StorageError) in
            try index.rows.visit(isBefore: range.isBefore, isNotAfter: range.isNotAfter, descending: descending) {
                (key, row) throws(StorageError) in
                try row.withView(at: key, sequences, body)
            }
        }
    }

    func hasDroppedIndexes() throws(StorageError) -> Bool {
        try check()
        return !state.droppedIndexes.isEmpty
    }

    func indexedSequence(_ name: String, _ id: DocumentID) throws(StorageError) -> UInt64? {
        try check()
        return state.indexes[ByteKey(name)]?.documents[ByteKey(id)]?.sequence
    }

    func indexSummary(_ name: String, key: [UInt8]) throws(StorageError) -> [UInt8]? {
        try check()
        return state.indexes[ByteKey(name)]?.summaries[ByteKey(key)]
    }

    func indexSummaries(
        _ name: String,
        in range: ByteRange,
        descending: Bool,
        _ body: (_ key: RawSpan, _ value: RawSpan) throws(StorageError) -> Bool
    ) throws(StorageError) {
        try check()
        guard let summaries = state.indexes[ByteKey(name)]?.summaries else { return }
        try hand { () throws(StorageError) in
            try summaries.visit(isBefore: range.isBefore, isNotAfter: range.isNotAfter, descending: descending) {
                (key, value) throws(StorageError) in
                try unsafe body(key.bytes.span.bytes, value.span.bytes)
            }
        }
    }
}

extension IndexRow {
    fileprivate func withView(
        at place: RowKey,
        _ sequences: MemoryIndexSequences,
        _ body: (borrowing IndexRowView) throws(StorageError) -> Bool
    ) throws(StorageError) -> Bool {
        try unsafe key.withRawBytes { (key) throws(StorageError) in
            try unsafe place.id.withRawBytes { (id) throws(StorageError) in
                try unsafe keyJSON.withRawBytes { (keyJSON) throws(StorageError) in
                    guard let valueJSON else {
                        let view = unsafe IndexRowView(
                            emit: place.emit,
                            key: key,
                            id: id,
                            keyJSON: keyJSON,
                            valueJSON: nil,
                            sequences: sequences
                        )
                        return try body(view)
                    }
                    return try unsafe valueJSON.withRawBytes { (valueJSON) throws(StorageError) in
                        let view = unsafe IndexRowView(
                            emit: place.emit,
                            key: key,
                            id: id,
                            keyJSON: keyJSON,
                            valueJSON: valueJSON,
                            sequences: sequences
                        )
                        return try body(view)
                    }
                }
            }
        }
    }
}

extension StorageError {
    static func noIndex(_ name: String) -> StorageError {
        StorageError(.notFound, "There is no index '\(name)'. Make it with setIndexState first.")
    }
}
