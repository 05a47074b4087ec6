#if RocksDB
internal import CSetteeRocksDB
internal import StorageProtocol

extension RocksDBStore {
    /// Asks RocksDB for figures of each family, and for the size of each file.
    func statistics() throws(StorageError) -> StorageStatistics {
        let handles = try handles()
        var (bytes, logs) = (UInt64(0), UInt64(0))
        for name in try StoreFiles.names(in: path) {
            let size = StoreFiles.size(path + "/" + name)
            bytes += size
            if name.hasSuffix(".log") { logs += size }
        }
        let tables = handles.sum("rocksdb.total-sst-files-size")
        let live = handles.sum("rocksdb.estimate-live-data-size")
        let levels = (0..<RocksDBStore.levels).map { "\(handles.sum("rocksdb.num-files-at-level\($0)"))" }
        return StorageStatistics(
            bytesOnDisk: bytes,
            freeBytes: tables - min(tables, live),
            openTransactions: 0,
            details: [
                ("tableFileBytes", "\(tables)"),
                ("logBytes", "\(logs)"),
                ("filesAtLevels", levels.joined(separator: " ")),
                ("writeBufferBytes", "\(handles.sum("rocksdb.cur-size-all-mem-tables"))"),
                ("cachedBytes", "\(handles.cachedBytes)"),
                ("tableReaderBytes", "\(handles.sum("rocksdb.estimate-table-readers-mem"))"),
                ("bytesToCompact", "\(handles.sum("rocksdb.estimate-pending-compaction-bytes"))"),
                ("delayedWriteRate", "\(handles.figure("rocksdb.actual-delayed-write-rate"))"),
                ("areWritesStopped", handles.figure("rocksdb.is-write-stopped") == 0 ? "no" : "yes"),
                ("snapshots", "\(handles.figure("rocksdb.num-snapshots"))"),
                ("backgroundErrors", "\(handles.figure("rocksdb.background-errors"))"),
                ("durability", isSynced ? "full" : "normal"),
            ]
        )
    }

    /// RocksDB's default.
    private static let levels = 7
}

extension RocksDBHandles {
    /// Returns a figure of the database, or of the first family; 0 if it is not known.
    func figure(_ name: String) -> UInt64 { figure(name, of: .meta) }

    /// Returns the sum of a figure of all families.
    func sum(_ name: String) -> UInt64 { Table.allCases.reduce(0) { $0 + figure(name, of: $1) } }

    private func figure(_ name: String, of table: Table) -> UInt64 {
        var value: UInt64 = 0
        return unsafe rocks_property_int_cf(db, family(table), name, &value) == 0 ? value : 0
    }
}
#endif
