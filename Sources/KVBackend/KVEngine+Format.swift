internal import StorageProtocol

extension KVEngine {
    /// Sets up a new store, and checks the format of an existing one.
    ///
    /// - Throws: `unsupportedFormat` (591) for another version of the format, `corrupt` (591) for a store that has
    ///   content but no format.
    final func lay() throws(StorageError) {
        if let format = try storedFormat() {
            compression = format.compression
            return
        }
        guard options.create && !options.readOnly else { throw .corrupt("The store has no format entry") }
        let transaction = try store.beginWrite()
        defer { transaction.end() }
        for table in Table.allCases where try transaction.cursor(table).seek(.first) {
            // Another process has set it up in the meantime.
            if let format = try format(in: transaction) {
                compression = format.compression
                return
            }
            throw .corrupt("The store has no format entry")
        }
        compression = options.compression ?? .uncompressed
        for (key, value) in [(MetaKey.format, StoreFormat(compression).encoded), (.counters, StoreNumbers().encoded)] {
            try unsafe key.withBytes { (key) throws(StorageError) in
                _ = try unsafe transaction.put(key, in: .meta, length: value.count, mode: .insert) {
                    unsafe $0.copyBytes(from: value)
                }
            }
        }
        try transaction.commit()
        try store.checkpoint()
    }

    private func storedFormat() throws(StorageError) -> StoreFormat? {
        let transaction = try store.beginRead()
        defer { transaction.end() }
        return try format(in: transaction)
    }

    private func format(in transaction: Store.Transaction) throws(StorageError) -> StoreFormat? {
        try unsafe MetaKey.format.withBytes { (key) throws(StorageError) in
            try unsafe transaction.withValue(of: key, in: .meta) { (value) throws(StorageError) -> StoreFormat? in
                guard let value = unsafe value else { return nil }
                return try unsafe StoreFormat(stored: value)
            }
        }
    }
}
