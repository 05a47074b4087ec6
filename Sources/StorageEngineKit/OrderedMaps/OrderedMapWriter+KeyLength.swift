internal import StorageProtocol

/// Calls that write several keys first check that the map can hold all of them (`maximumKeyLength`).
extension OrderedMapWriter {
    /// - Throws: `tooLarge` (413) if a row of these needs a key that is too long.
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

    /// - Throws: `tooLarge` (413) if a row of these, or what the index stores about a document, needs a key that is too
    ///   long.
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

    /// - Throws: `tooLarge` (413) if one of these needs a key that is too long.
    func requireStorable(_ name: String, _ entries: IndexEntries) throws(StorageError) {
        if maximumKeyLength == .max { return }
        let prefix = MapKey.entries(of: name).count
        try entries.forEach { (key, _) throws(StorageError) in try requireKeyLength(prefix + key.byteCount) }
    }

    private func requireStorable(_ key: RawSpan, _ id: RawSpan, behind prefix: Int) throws(StorageError) {
        // The worst case, every byte escaped. Most keys are far below the limit.
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
