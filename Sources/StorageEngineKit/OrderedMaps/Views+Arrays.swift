public import StorageProtocol

// Makes the contract's views for engines that have the parts in arrays.

extension RecordView {
    /// Passes a view of these parts to `use`.
    public static func with<R>(
        sequence: UInt64,
        flags: DocumentFlags,
        id: [UInt8],
        winner: [UInt8],
        tree: [UInt8],
        body: [UInt8],
        _ use: (borrowing RecordView) throws(StorageError) -> R
    ) throws(StorageError) -> R {
        try unsafe id.withRawBytes { (id) throws(StorageError) in
            try unsafe winner.withRawBytes { (winner) throws(StorageError) in
                try unsafe tree.withRawBytes { (tree) throws(StorageError) in
                    try unsafe body.withRawBytes { (body) throws(StorageError) in
                        let view = unsafe RecordView(
                            sequence: sequence,
                            flags: flags,
                            id: id,
                            winner: winner,
                            tree: tree,
                            body: body
                        )
                        return try use(view)
                    }
                }
            }
        }
    }
}

extension IndexRowView {
    /// Passes a view of a row to `use`.
    public static func with<R>(
        _ row: IndexRow,
        id: [UInt8],
        emit: UInt32,
        sequences: any IndexSequenceSource,
        _ use: (borrowing IndexRowView) throws(StorageError) -> R
    ) throws(StorageError) -> R {
        defer { withExtendedLifetime(sequences) {} }
        return try unsafe row.key.withRawBytes { (key) throws(StorageError) in
            try unsafe id.withRawBytes { (id) throws(StorageError) in
                try unsafe row.keyJSON.withRawBytes { (keyJSON) throws(StorageError) in
                    func hand(_ valueJSON: UnsafeRawBufferPointer?) throws(StorageError) -> R {
                        let view = unsafe IndexRowView(
                            emit: emit,
                            key: key,
                            id: id,
                            keyJSON: keyJSON,
                            valueJSON: valueJSON,
                            sequences: sequences
                        )
                        return try use(view)
                    }
                    guard let valueJSON = row.valueJSON else { return try hand(nil) }
                    return try unsafe valueJSON.withRawBytes { (value) throws(StorageError) in try unsafe hand(value) }
                }
            }
        }
    }
}

extension IndexDocumentView {
    /// Passes a view of a document and the sort keys of its rows to `use`.
    public static func with<R>(
        id: [UInt8],
        sequence: UInt64,
        keys: [[UInt8]],
        _ use: (borrowing IndexDocumentView) throws(StorageError) -> R
    ) throws(StorageError) -> R {
        // One block of memory for all keys, so that their addresses do not change.
        let ends = keys.reduce(into: [0]) { ends, key in ends.append(ends[ends.count - 1] + key.count) }
        return try unsafe Array(keys.joined()).withRawBytes { (bytes) throws(StorageError) in
            let parts = unsafe keys.indices.map {
                unsafe UnsafeRawBufferPointer(rebasing: bytes[ends[$0]..<ends[$0 + 1]])
            }
            return try unsafe id.withRawBytes { (id) throws(StorageError) in
                let view = unsafe IndexDocumentView(id: id, sequence: sequence, keys: parts)
                return try use(view)
            }
        }
    }
}

extension [UInt8] {
    @unsafe
    fileprivate func withRawBytes<R>(
        _ body: (UnsafeRawBufferPointer) throws(StorageError) -> R
    ) throws(StorageError) -> R {
        try unsafe withUnsafeBufferPointer { (buffer) throws(StorageError) in
            try unsafe body(UnsafeRawBufferPointer(buffer))
        }
    }
}
