public import StorageProtocol

/// The rows of a listing inside `Database.read`, all of the snapshot's state. Kept beyond the closure it throws
/// `notOpen` (503), as the snapshot does.
public struct SnapshotListing {
    private let snapshot: Snapshot
    private let makeSource: () throws(StorageError) -> any RowSource

    init(_ snapshot: Snapshot, _ makeSource: @escaping () throws(StorageError) -> any RowSource) {
        self.snapshot = snapshot
        self.makeSource = makeSource
    }

    /// Hands every row to `body`, which may read through the database; stops when it throws.
    ///
    /// - Throws: what `body` throws; `badParameter` (495) for a negative `limit` or `skip`, `notOpen` (503), `corrupt`
    ///   (591).
    public func forEach(_ body: (DocumentRow) throws -> Void) throws {
        var source = try makeSource()
        while true {
            let rows = try nextRows(&source)
            if rows.isEmpty { return }
            for row in rows { try body(row) }
        }
    }

    /// All rows at once, in memory.
    public func rows() throws(StorageError) -> [DocumentRow] {
        var source = try makeSource()
        var all: [DocumentRow] = []
        while true {
            let rows = try nextRows(&source)
            if rows.isEmpty { return all }
            all += rows
        }
    }

    private func nextRows(_ source: inout any RowSource) throws(StorageError) -> [DocumentRow] {
        try source.page(snapshot.live(), of: snapshot.database, maximum: DocumentSource.pageSize)
    }
}
