internal import SetteeEngine
internal import StorageProtocol

/// Removes indexes that no record names.
enum IndexHousekeeping {
    /// Removes the indexes of a kind that do not belong to a readable record.
    static func dropUnowned(of kind: any IndexKind, in session: WriteSession) throws(StorageError) {
        var owned: Set<[UInt8]> = []
        for (key, _) in try session.transaction.allInfo() {
            guard let name = IndexName(recordKey: key, of: kind),
                let record = try? IndexRecord.load(name, in: session.transaction)
            else { continue }
            for entry in record.entries { owned.insert(Array(entry.index.utf8)) }
        }
        for index in try session.transaction.indexNames() where index.utf8.starts(with: kind.indexPrefix.utf8) {
            if !owned.contains(Array(index.utf8)) { try session.dropIndex(index) }
        }
    }
}
