package import SetteeEngine
package import StorageProtocol

/// An index as one snapshot shows it.
package struct IndexSnapshot: Sendable {
    package let name: IndexName
    /// Nil: unknown in this program.
    package let mapper: (any RowMapper)?
    /// Nil: nothing is stored for the index.
    package let record: IndexRecord?

    package init(
        _ name: IndexName,
        of database: Database,
        in transaction: any ReadTransaction
    ) throws(StorageError) {
        self.name = name
        mapper = try name.kind.mapper(of: name, in: database, transaction)
        record = try IndexRecord.load(name, in: transaction)
    }

    /// Returns the index of the mapper's version if it is complete; nil if there is none, or another version is
    /// current.
    package func completeIndex(
        of database: Database,
        in transaction: any ReadTransaction
    ) throws(StorageError) -> (name: String, state: IndexState)? {
        guard let mapper, let record, record.version == mapper.version,
            let entry = record.entry(collation: try database.version(of: mapper.order)), entry.isComplete,
            let state = try transaction.indexState(entry.index)
        else { return nil }
        return (entry.index, state)
    }
}
