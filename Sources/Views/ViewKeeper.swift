public import SetteeEngine
internal import StorageProtocol

extension DatabaseModule {
    /// Makes views known to a database: `check` then covers their indexes, and conversions keep them. Otherwise a
    /// conversion leaves the indexes out, which are then built again. The umbrella module passes it.
    public static var views: DatabaseModule { DatabaseModule(indexKeeper: ViewKeeper()) }
}

/// What views do for the rest of a database: check their indexes, and say which of them another store can take.
struct ViewKeeper: IndexKeeper {
    func check(
        _ database: Database,
        _ transaction: any ReadTransaction,
        _ report: (String) -> Void
    ) throws(StorageError) {
        try IndexChecker(database, transaction).run(report)
    }

    func unfinishedIndexes(in transaction: any ReadTransaction) throws(StorageError) -> Set<[UInt8]> {
        try ViewRecord.unfinishedIndexes(in: transaction)
    }

    func info(
        _ key: String,
        _ value: [UInt8],
        without indexes: Set<[UInt8]>
    ) throws(StorageError) -> [UInt8]? {
        try ViewRecord.without(indexes, key: key, value: value)
    }
}
