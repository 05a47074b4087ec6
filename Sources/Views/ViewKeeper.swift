public import SetteeEngine
package import StorageProtocol

/// What views do for the rest of a database: check their indexes, and tell which of them another store can take.
public struct ViewKeeper: IndexKeeper {
    /// Has databases of this process know views from now on. The umbrella module does so; programs that link
    /// `SetteeEngine` and `SetteeViews` alone call it before they open databases, or conversions leave out their
    /// indexes, which are built again then.
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
