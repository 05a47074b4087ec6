internal import SetteeEngine
internal import StorageProtocol

/// Removes indexes that no view needs.
enum ViewHousekeeping {
    /// Removes the indexes that do not belong to a view with a readable record.
    static func dropIndexesOfNoView(in session: WriteSession) throws(StorageError) {
        var owned: Set<[UInt8]> = []
        for (key, _) in try session.transaction.allInfo() {
            guard let name = ViewName(infoKey: key, prefix: ViewRecord.infoPrefix),
                let record = try? ViewRecord.load(name, in: session.transaction)
            else { continue }
            for entry in record.entries { owned.insert(Array(entry.index.utf8)) }
        }
        for index in try session.transaction.indexNames() where index.utf8.starts(with: ViewRecord.indexNamePrefix.utf8)
        {
            if !owned.contains(Array(index.utf8)) { try session.dropIndex(index) }
        }
    }
}
