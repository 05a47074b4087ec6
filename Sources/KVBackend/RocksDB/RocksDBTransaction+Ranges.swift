#if RocksDB
internal import StorageProtocol

extension RocksDBTransaction {
    /// How many entries are removed one by one. RocksDB's reads look at each range that was removed, until a compaction
    /// has, so a few entries are better removed by themselves.
    private static let fewEntries = 256

    func removeRange(
        _ range: ByteRange,
        in table: Table,
        until end: ContinuousClock.Instant?
    ) throws(StorageError) -> RangeRemoval {
        try removeRange(range, in: table, until: end, oneByOne: RocksDBTransaction.fewEntries)
    }

    /// Removes a few entries one by one, and what is behind them by one change, in a time that does not depend on how
    /// much that is.
    func removeRange(
        _ range: ByteRange,
        in table: Table,
        until end: ContinuousClock.Instant?,
        oneByOne most: Int
    ) throws(StorageError) -> RangeRemoval {
        let cursor = try cursor(table)
        defer { cursor.close() }
        let removal = try cursor.removeEntries(in: range, until: end, most: most)
        if removal.isComplete { return removal }
        var lower = KeyBuffer()
        unsafe lower.append(cursor.key)
        var upper = KeyBuffer()
        // The bound that is written is not in the range.
        switch range.upper {
        case .excluding(let bytes): unsafe bytes.withUnsafeBytes { unsafe upper.append($0) }
        case .including(let bytes): unsafe (bytes + [0]).withUnsafeBytes { unsafe upper.append($0) }
        case .open:
            _ = try cursor.seek(.last)
            unsafe upper.append(cursor.key)
            upper.append(0)
        }
        try unsafe removeRange(from: lower.bytes, to: upper.bytes, in: table)
        return RangeRemoval(isComplete: true, hasRemoved: true)
    }
}
#endif
