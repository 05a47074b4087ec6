internal import StorageEngineKit
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
        try index.rows.visit(isBefore: range.isBefore, isNotAfter: range.isNotAfter, descending: descending) {
            (key, row) throws(StorageError) in
            try hand { () throws(StorageError) in try row.withView(at: key, sequences, body) }
        }
    }

    func hasDroppedIndexes() throws(StorageError) -> Bool {
        try check()
        return !state.droppedIndexes.isEmpty
    }

    func indexedSequence(_ name: String, _ id: DocumentID) throws(StorageError) -> UInt64? {
        try check()
        guard let index = state.indexes[ByteKey(name)] else { return nil }
        guard index.state.keepsSequences else { throw .indexKeepsNoSequences }
        return index.documents[ByteKey(id)]?.sequence
    }

    func indexDocuments(
        _ name: String,
        after id: DocumentID?,
        _ body: (borrowing IndexDocumentView) throws(StorageError) -> Bool
    ) throws(StorageError) {
        try check()
        guard let index = state.indexes[ByteKey(name)] else { throw .noIndex(name) }
        let start = id.map(ByteKey.init)
        func isBefore(_ key: ByteKey) -> Bool { start.map { key <= $0 } ?? false }
        try index.documents.visit(isBefore: isBefore) { (key, document) throws(StorageError) in
            try hand { () throws(StorageError) in try document.withView(of: key.bytes, body) }
        }
    }

    func indexEntry(
        _ name: String,
        key: RawSpan,
        _ body: (_ value: RawSpan) throws(StorageError) -> Void
    ) throws(StorageError) -> Bool {
        try check()
        let key = ByteKey([UInt8](copying: key))
        guard let value = state.indexes[ByteKey(name)]?.entries[key] else { return false }
        try hand { () throws(StorageError) in try unsafe body(value.span.bytes) }
        return true
    }

    func indexEntries(
        _ name: String,
        in range: ByteRange,
        descending: Bool,
        _ body: (_ key: RawSpan, _ value: RawSpan) throws(StorageError) -> Bool
    ) throws(StorageError) {
        try check()
        guard let entries = state.indexes[ByteKey(name)]?.entries else { return }
        try entries.visit(isBefore: range.isBefore, isNotAfter: range.isNotAfter, descending: descending) {
            (key, value) throws(StorageError) in
            try hand { () throws(StorageError) in try unsafe body(key.bytes.span.bytes, value.span.bytes) }
        }
    }
}

extension IndexedDocument {
    fileprivate func withView(
        of id: [UInt8],
        _ body: (borrowing IndexDocumentView) throws(StorageError) -> Bool
    ) throws(StorageError) -> Bool {
        // One block of memory for all keys, so that their addresses do not change.
        let ends = keys.reduce(into: [0]) { ends, key in ends.append(ends[ends.count - 1] + key.count) }
        return try unsafe Array(keys.joined()).withRawBytes { (bytes) throws(StorageError) in
            let parts = unsafe keys.indices.map {
                unsafe UnsafeRawBufferPointer(rebasing: bytes[ends[$0]..<ends[$0 + 1]])
            }
            return try unsafe id.withRawBytes { (id) throws(StorageError) in
                try unsafe body(IndexDocumentView(id: id, sequence: sequence, keys: parts))
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
