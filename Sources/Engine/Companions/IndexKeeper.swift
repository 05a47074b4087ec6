package import StorageProtocol

/// What the module that maintains indexes does for the rest of a database. Engine itself only handles rows, not their
/// meaning.
package protocol IndexKeeper: Sendable {
    /// Compares indexes with documents, on one snapshot.
    ///
    /// - Parameter report: Receives the problems, without document content.
    func check(
        _ database: Database,
        _ transaction: any ReadTransaction,
        _ report: (String) -> Void
    ) throws(StorageError)

    /// Returns the names of the indexes that are being filled, or whose filling was interrupted by the end of a
    /// process. Their content is not consistent yet.
    func unfinishedIndexes(in transaction: any ReadTransaction) throws(StorageError) -> Set<[UInt8]>

    /// Returns an info value for a store that lacks some indexes: a record without them, other values unchanged; nil:
    /// none.
    func info(_ key: String, _ value: [UInt8], without indexes: Set<[UInt8]>) throws(StorageError) -> [UInt8]?
}

/// The keeper of this process.
package enum IndexKeepers {
    private static let joined = Locked<(any IndexKeeper)?>(nil)

    /// Makes `keeper` the one for all databases from now on.
    package static func join(_ keeper: any IndexKeeper) { joined.withLock { $0 = keeper } }

    static var keeper: any IndexKeeper { joined.withLock { $0 } ?? NoIndexKeeper() }
}

/// Replaces the keeper in programs that are built without one. Their databases may have indexes of other programs,
/// which cannot be judged here. Those are not transferred, but built again.
private struct NoIndexKeeper: IndexKeeper {
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
