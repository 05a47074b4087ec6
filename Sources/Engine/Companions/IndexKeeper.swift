package import StorageProtocol

/// What the floor above that keeps indexes does for the rest of a database. Engine itself knows rows, and not what they
/// stand for.
package protocol IndexKeeper: Sendable {
    /// Compares indexes with documents, on one snapshot.
    ///
    /// - Parameter report: gets what is wrong, without document content.
    func check(
        _ database: Database,
        _ transaction: any ReadTransaction,
        _ report: (String) -> Void
    ) throws(StorageError)

    /// The names of the indexes that are being filled, or were when their filler died: what they have does not belong
    /// together yet.
    func unfinishedIndexes(in transaction: any ReadTransaction) throws(StorageError) -> Set<[UInt8]>

    /// An info value for a store that lacks some indexes: a record without them, anything else as it is; nil: none.
    func info(_ key: String, _ value: [UInt8], without indexes: Set<[UInt8]>) throws(StorageError) -> [UInt8]?
}

/// The keeper that this process has.
package enum IndexKeepers {
    private static let joined = Locked<(any IndexKeeper)?>(nil)

    /// Has `keeper` be the one from now on, for all databases.
    package static func join(_ keeper: any IndexKeeper) { joined.withLock { $0 = keeper } }

    static var keeper: any IndexKeeper { joined.withLock { $0 } ?? NoIndexKeeper() }
}

/// Takes the place of a keeper in programs that are built without one: their databases may have indexes of other
/// programs, which nobody here can judge. They are not carried on, but built again.
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
