internal import StorageProtocol

/// Replaces the keeper of a database that was opened without one. It may have indexes of other programs, which cannot
/// be judged here. Those are not transferred, but built again.
struct NoIndexKeeper: IndexKeeper {
    func joined(with other: any IndexKeeper) -> any IndexKeeper { other }

    func check(
        _ database: Database,
        _ transaction: any ReadTransaction,
        _ report: (String) -> Void
    ) throws(StorageError) {}

    func unfinishedIndexes(in transaction: any ReadTransaction) throws(StorageError) -> Set<[UInt8]> {
        Set(try transaction.indexNames().map { Array($0.utf8) })
    }

    func info(_ key: String, _ value: [UInt8], without indexes: Set<[UInt8]>) throws(StorageError) -> [UInt8]? {
        InfoKey.isOfIndexes(key) ? nil : value
    }
}
