internal import StorageProtocol

extension MemoryWriteTransaction {
    func setIndexState(_ name: String, _ state: IndexState) throws(StorageError) {
        try checkWrite()
        didWrite()
        let key = ByteKey(name)
        let found: Void? = try self.state.indexes.modify(key) { (index) throws(StorageError) in index.state = state }
        if found == nil { self.state.indexes.set(key, MemoryIndex(name: name, state: state)) }
    }

    func replaceIndexRows(
        _ name: String,
        of id: DocumentID,
        sequence: UInt64?,
        rows: [IndexRow]
    ) throws(StorageError) -> IndexReplacement {
        try checkWrite()
        let present = state.record(id)?.sequence
        let replacement = try state.indexes.modify(ByteKey(name)) { (index) throws(StorageError) in
            guard present == sequence else { return IndexReplacement(accepted: false, changed: false) }
            return IndexReplacement(accepted: true, changed: index.replaceRows(of: id, sequence ?? 0, rows))
        }
        guard let replacement else { throw .noIndex(name) }
        if replacement.accepted { didWrite() }
        return replacement
    }

    func putIndexSummary(_ name: String, key: [UInt8], value: [UInt8]) throws(StorageError) {
        try modifyIndex(name) { (index) throws(StorageError) in index.summaries.set(ByteKey(key), value) }
    }

    func removeIndexSummaries(_ name: String, in range: ByteRange) throws(StorageError) {
        try modifyIndex(name) { (index) throws(StorageError) in
            var keys: [ByteKey] = []
            try index.summaries.visit(isBefore: range.isBefore, isNotAfter: range.isNotAfter) {
                (key, _) throws(StorageError) in
                keys.append(key)
                return true
            }
            for key in keys { index.summaries.remove(key) }
        }
    }

    func dropIndex(_ name: String) throws(StorageError) {
        try checkWrite()
        if state.indexes.remove(ByteKey(name)) != nil { didWrite() }
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
    /// Returns whether any row differs from before.
    fileprivate mutating func replaceRows(of id: DocumentID, _ sequence: UInt64, _ new: [IndexRow]) -> Bool {
        let key = ByteKey(id)
        let old = documents[key]?.rows ?? []
        if new.isEmpty {
            documents.remove(key)
        } else {
            documents.set(key, IndexedDocument(sequence: sequence, rows: new))
        }
        guard old != new else { return false }
        for (emit, row) in old.enumerated() {
            rows.remove(RowKey(key: row.key, id: key.bytes, emit: UInt32(emit)))
        }
        for (emit, row) in new.enumerated() {
            rows.set(RowKey(key: row.key, id: key.bytes, emit: UInt32(emit)), row)
        }
        return true
    }
}
