internal import StorageProtocol

/// The statements that a replacement of index rows uses. They are kept from their first use to the end of the
/// replacement.
final class SQLiteIndexStatements {
    let transaction: SQLiteWriteTransaction
    let index: Int64
    private var held: [Statement?]

    init(_ transaction: SQLiteWriteTransaction, _ index: Int64) {
        self.transaction = transaction
        self.index = index
        held = Array(repeating: nil, count: Query.OfIndex.allCases.count)
    }

    deinit {
        for case let statement? in held { transaction.connection.give(statement) }
    }

    /// Returns the statement for a text.
    func hold(_ query: Query.OfIndex) throws(StorageError) -> Statement {
        if let statement = held[query.rawValue] { return statement }
        let statement = try transaction.connection.take(.of(index, query))
        held[query.rawValue] = statement
        return statement
    }

    /// Runs a statement that yields no rows.
    func run(_ statement: Statement, _ bind: (Statement) -> Void = { _ in }) throws(StorageError) {
        bind(statement)
        guard statement.step() != nil else { throw failure("Writing to the database") }
        statement.reset()
        transaction.didWrite()
    }

    /// Inserts the first rows of `cells`, whose columns are key, ID, emit number, JSON of the key, value.
    func addRows(_ cells: borrowing RowCells, _ count: Int) throws(StorageError) {
        guard count >= Query.fewestFed else {
            let statement = try hold(.addRow)
            for row in 0..<count { try run(statement) { cells.bind(row, to: $0) } }
            return
        }
        let statement = try hold(.addRows)
        defer { statement.reset() }
        try transaction.connection.run(statement, feeding: cells, count)
        transaction.didWrite()
    }

    /// Runs a query of one row.
    func read<R>(
        _ statement: Statement,
        _ body: (Statement) throws(StorageError) -> R
    ) throws(StorageError) -> R {
        guard let hasRow = statement.step() else { throw failure("Reading the database") }
        defer { statement.reset() }
        guard hasRow else { throw .missingRow }
        return try body(statement)
    }

    private func failure(_ doing: String) -> StorageError { transaction.connection.failure().error(doing) }
}
