package import StorageProtocol

/// What the module that maintains indexes does for the rest of a database. Engine itself only handles rows, not their
/// meaning.
package protocol IndexKeeper: Sendable {
    /// Returns a keeper of what both keep, whichever joins first.
    func joined(with other: any IndexKeeper) -> any IndexKeeper

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
