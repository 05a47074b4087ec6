internal import StorageProtocol

extension KVEngine {
    /// Bytes of keys and values after which a copy commits. What a transaction has written stays in memory until then.
    private static var bytesAtOnce: Int { 16 << 20 }

    /// Writes every entry of one snapshot, in order, into a store whose tables are empty, and syncs it.
    ///
    /// - Parameter progress: Called with the bytes done and the bytes in the store's pages in use.
    final func copy(
        to target: Store,
        _ progress: (_ done: UInt64, _ of: UInt64) throws(StorageError) -> Void
    ) throws(StorageError) {
        let source = try beginBaseRead()
        defer {
            source.end()
            didEnd(isWriter: false)
        }
        let figures = try store.statistics()
        let total = max(1, figures.bytesOnDisk - min(figures.bytesOnDisk, figures.freeBytes))
        try progress(0, total)
        try checkOpen()
        var place = CopyPosition()
        var done: UInt64 = 0
        while place.table != nil {
            let writer = try target.beginWrite()
            defer { writer.end() }
            done += UInt64(try place.copy(KVEngine.bytesAtOnce, from: source, to: writer))
            try writer.commit()
            try checkOpen()
            try progress(min(done, total), total)
        }
        try target.checkpoint()
        try progress(total, total)
    }
}
