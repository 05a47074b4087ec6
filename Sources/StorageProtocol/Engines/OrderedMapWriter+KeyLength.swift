/// Calls that write several keys look first whether the map takes all of them (`maximumKeyLength`).
extension OrderedMapWriter {
    /// - Throws: `tooLarge` (413) where a row of these would need too long a key.
    func requireStorable(_ name: String, _ batches: [IndexBatch]) throws(StorageError) {
        if maximumKeyLength == .max { return }
        let prefix = MapKey.rows(of: name).count
        for batch in batches {
            try batch.forEachDocument { (id, _, rows) throws(StorageError) in
                for row in rows {
                    try batch.withRow(row) { (key, _, _) throws(StorageError) in
                        try requireStorable(key, id, behind: prefix)
                    }
                }
            }
        }
    }

    /// - Throws: `tooLarge` (413) where a row of these, or what the index knows of a document, would need too long a
    ///   key.
    func requireStorable(
        _ name: String,
        _ load: IndexLoad,
        rows: Range<Int>,
        documents: Range<Int>
    ) throws(StorageError) {
        if maximumKeyLength == .max { return }
        let prefix = MapKey.rows(of: name).count
        for place in rows {
            let row = load.batches.row(load.rows[place])
            try unsafe requireStorable(row.key.bytes, row.id.bytes, behind: prefix)
        }
        for place in documents {
            try unsafe requireKeyLength(prefix + load.batches.document(load.documents[place]).id.count)
        }
    }

    /// - Throws: `tooLarge` (413) where one of these would need too long a key.
    func requireStorable(_ name: String, _ entries: IndexEntries) throws(StorageError) {
        if maximumKeyLength == .max { return }
        let prefix = MapKey.entries(of: name).count
        try entries.forEach { (key, _) throws(StorageError) in try requireKeyLength(prefix + key.byteCount) }
    }

    private func requireStorable(_ key: RawSpan, _ id: RawSpan, behind prefix: Int) throws(StorageError) {
        // Every byte escaped; most keys are far from it.
        if prefix + 2 * (key.byteCount + id.byteCount) + 12 <= maximumKeyLength { return }
        try requireKeyLength(prefix + ByteCoding.keyPartLength(key) + ByteCoding.keyPartLength(id) + 8)
    }

    private func requireKeyLength(_ count: Int) throws(StorageError) {
        guard count <= maximumKeyLength else {
            throw StorageError(
                .tooLarge,
                "A key would have \(count) bytes in the store; at most \(maximumKeyLength) are allowed. Use a shorter "
                    + "one."
            )
        }
    }
}
