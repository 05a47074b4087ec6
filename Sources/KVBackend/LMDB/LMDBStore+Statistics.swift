internal import CSetteeLMDB
internal import StorageProtocol

extension LMDBStore {
    /// Reads a few hundred pages, and each reader slot.
    func statistics() throws(StorageError) -> StorageStatistics {
        let estimate = try? fillEstimate()
        let figures = try environment.figures(freePages: estimate?.freePages)
        let readers = environment.readers(newest: figures.lastTransaction)
        var details = [
            ("lmdbVersion", LMDBFigures.version),
            ("mapSize", "\(figures.mapSize)"),
            ("pageSize", "\(figures.pageSize)"),
            ("lastPage", "\(figures.lastPage)"),
            ("freePages", "\(figures.freePages)"),
            ("lastTransaction", "\(figures.lastTransaction)"),
            ("readers", "\(readers.count)"),
            ("readerPlaces", "\(figures.readerPlaces)"),
        ]
        if let age = environment.oldestSnapshotAge { details.append(("oldestReaderSeconds", age.inSeconds)) }
        if let oldest = readers.max(by: { $0.behind < $1.behind }) {
            details.append(("oldestReaderBehind", "\(oldest.behind)"))
            details.append(("pinnedBy", oldest.isOwn ? "this process" : "process \(oldest.process)"))
        }
        details.append(("durability", environment.isFullySynced ? "full" : "normal"))
        let reclaimable = estimate?.reclaimableBytes
        if let reclaimable { details.append(("reclaimableBytes", "\(reclaimable)")) }
        return StorageStatistics(
            bytesOnDisk: figures.dataBytes + StoreFiles.size(environment.folder + "/" + LMDBFolder.lockName),
            freeBytes: figures.freeBytes,
            openTransactions: 0,
            reclaimableBytes: reclaimable.map { max($0, figures.freeBytes) },
            details: details
        )
    }
}

extension UInt64 {
    /// Nanoseconds as seconds, with three digits.
    fileprivate var inSeconds: String {
        let milliseconds = self / 1_000_000
        let rest = "\(milliseconds % 1000)"
        return "\(milliseconds / 1000)." + String(repeating: "0", count: 3 - rest.count) + rest
    }
}
