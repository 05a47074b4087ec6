internal import SetteeEngine
internal import SetteeIndexes
internal import StorageProtocol

/// Makes the definitions that a database has now the versions of their indexes, and brings these up to date.
enum ValueIndexClaim {
    /// Brings indexes up to date before a query, which does without them if that is not possible now.
    ///
    /// - Throws: `cancelled` (596), `notOpen` (503), `storage` (590), `corrupt` (591).
    static func updateForQuery(
        _ names: [IndexName],
        of database: Database,
        _ cancellation: Cancellation?
    ) throws(StorageError) {
        do throws(StorageError) {
            try update(names, of: database, cancellation)
        } catch {
            guard error.code == .inUse || error.code == .full || error.code == .readOnly else { throw error }
            Log.log(.warning, .query, "\(database.name): indexes were not updated for a query: \(Log.describe(error))")
        }
    }

    /// - Throws: `inUse` (423), `full` (507), `cancelled` (596).
    static func update(
        _ names: [IndexName],
        of database: Database,
        _ cancellation: Cancellation?
    ) throws(StorageError) {
        // A definition that changes meanwhile, in a design document or by another program, is the next query's
        // business.
        do throws(StorageError) {
            try claim(names, of: database)
            try IndexUpdater(database, names, cancellation: cancellation, followsVersions: false).run()
        } catch {
            guard error.code == .superseded || error.code == .notFound else { throw error }
        }
    }

    /// Records the versions of definitions that came with a design document, or with a new definition.
    private static func claim(_ names: [IndexName], of database: Database) throws(StorageError) {
        let others = try database.withReadTransaction { (transaction) throws(StorageError) in
            var others: [IndexName] = []
            for name in names where try !isClaimed(name, of: database, in: transaction) { others.append(name) }
            return others
        }
        if others.isEmpty { return }
        try database.change { (session) throws(StorageError) in
            for name in others {
                guard let mapper = try name.kind.mapper(of: name, in: database, session.transaction) else { continue }
                try IndexClaim.store(mapper, for: name, in: session)
            }
        }
    }

    private static func isClaimed(
        _ name: IndexName,
        of database: Database,
        in transaction: any ReadTransaction
    ) throws(StorageError) -> Bool {
        let snapshot = try IndexSnapshot(name, of: database, in: transaction)
        guard let mapper = snapshot.mapper, let record = snapshot.record else { return true }
        return record.version == mapper.version
    }
}
