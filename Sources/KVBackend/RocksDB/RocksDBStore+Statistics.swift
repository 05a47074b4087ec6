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
        let levels = (0..<RocksDBStore.levels).map { "\(handles.fileCount(atLevel: $0))" }
        return StorageStatistics(
            bytesOnDisk: bytes,
            freeBytes: tables - min(tables, live),
            openTransactions: 0,
            details: [
                ("tableFileBytes", "\(tables)"),
                ("logBytes", "\(logs)"),
                ("filesAtLevels", levels.joined(separator: " ")),
                ("logBytesWritten", "\(handles.logBytesWritten)"),
                ("tableFileBytesWritten", "\(handles.tableFileBytesWritten)"),
                ("writeBufferBytes", "\(handles.sum("rocksdb.cur-size-all-mem-tables"))"),
                ("cachedBytes", "\(handles.cachedBytes)"),
                ("tableReaderBytes", "\(handles.sum("rocksdb.estimate-table-readers-mem"))"),
                ("bytesToCompact", "\(handles.sum("rocksdb.estimate-pending-compaction-bytes"))"),
                ("delayedWriteRate", "\(handles.figure("rocksdb.actual-delayed-write-rate"))"),
                ("writesStalledFor", handles.stall),
                ("areWritesStopped", handles.figure("rocksdb.is-write-stopped") == 0 ? "no" : "yes"),
                ("snapshots", "\(handles.figure("rocksdb.num-snapshots"))"),
                ("backgroundErrors", "\(handles.backgroundFailures)"),
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

    /// How many files of all families are at a level, which RocksDB tells as text.
    func fileCount(atLevel level: Int) -> Int {
        Table.allCases.reduce(0) { $0 + (Int(text("rocksdb.num-files-at-level\(level)", of: $1)) ?? 0) }
    }

    /// The bytes that flushes and rewrites have written since the opening. RocksDB tells them in its texts alone, in
    /// hundredths of a GiB, those of flushes in thousandths. What counts exactly costs 2 to 4 % of each write.
    var tableFileBytesWritten: UInt64 {
        Table.allCases.reduce(0) { sum, table in
            let text = text("rocksdb.cfstats-no-file-histogram", of: table)
            let flushed = RocksDBHandles.number(behind: "Flush(GB): cumulative ", in: text)
            let written = RocksDBHandles.number(behind: "Cumulative compaction: ", in: text)
            return sum + UInt64(max(flushed, written) * 1_073_741_824)
        }
    }

    /// How long writes had to wait since the opening, as hours, minutes and seconds.
    var stall: String { RocksDBHandles.word(behind: "Cumulative stall: ", in: text("rocksdb.dbstats", of: .meta)) }

    private static func number(behind mark: String, in text: String) -> Double {
        Double(word(behind: mark, in: text)) ?? 0
    }

    /// The word behind the first `mark`; empty if there is none.
    private static func word(behind mark: String, in text: String) -> String {
        let mark = Array(mark.utf8)
        let text = Array(text.utf8)
        guard let start = text.indices.first(where: { text[$0...].starts(with: mark) }) else { return "" }
        let word = text[(start + mark.count)...].prefix { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: ",") }
        return String(decoding: word, as: UTF8.self)
    }

    private func text(_ name: String, of table: Table) -> String {
        guard let text = unsafe rocks_property_value_cf(db, family(table), name) else { return "" }
        defer { unsafe rocks_free(text) }
        return unsafe String(cString: text)
    }

    func figure(_ name: String, of table: Table) -> UInt64 {
        var value: UInt64 = 0
        return unsafe rocks_property_int_cf(db, family(table), name, &value) == 0 ? value : 0
    }
}
#endif
