public import SetteeEngine
package import StorageProtocol

/// What views do for the rest of a database: check their indexes, and say which of them another store can take.
public struct ViewKeeper: IndexKeeper {
    /// Makes views known to the databases of this process. The umbrella module calls it. Programs that link only
    /// `SetteeEngine` and `SetteeViews` call it before they open databases; otherwise conversions leave out the
    /// indexes, which are then built again.
    public static func join() { IndexKeepers.join(ViewKeeper()) }

    package func check(
        _ database: Database,
        _ transaction: any ReadTransaction,
        _ report: (String) -> Void
    ) throws(StorageError) {
        try IndexChecker(database, transaction).run(report)
    }

    package func unfinishedIndexes(in transaction: any ReadTransaction) throws(StorageError) -> Set<[UInt8]> {
        try ViewRecord.unfinishedIndexes(in: transaction)
    }

    package func info(
        _ key: String,
        _ value: [UInt8],
        without indexes: Set<[UInt8]>
    ) throws(StorageError) -> [UInt8]? {
        try ViewRecord.without(indexes, key: key, value: value)
    }
}
