internal import SetteeEngine
internal import StorageProtocol

/// A view as one snapshot shows it.
struct ViewSnapshot: Sendable {
    let name: ViewName
    /// The map function of this program, else that of the stored definition; nil if there is neither.
    let function: ViewFunction?
    /// Nil: nothing is stored for the view.
    let record: ViewRecord?

    init(_ name: ViewName, of database: Database, in transaction: any ReadTransaction) throws(StorageError) {
        self.name = name
        function = try database.viewFunction(name, in: transaction)
        record = try ViewRecord.load(name, in: transaction)
    }

    /// Returns the index of the function's version if it is complete; nil if there is none, or another version is
    /// current.
    func completeIndex(
        of database: Database,
        in transaction: any ReadTransaction
    ) throws(StorageError) -> (name: String, state: IndexState)? {
        guard let function, let record, record.version == function.version,
            let entry = record.entry(collation: try database.collationVersion(function.collation)), entry.isComplete,
            let state = try transaction.indexState(entry.index)
        else { return nil }
        return (entry.index, state)
    }
}
