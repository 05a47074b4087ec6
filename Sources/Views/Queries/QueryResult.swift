internal import SetteeEngine
public import StorageProtocol

/// The rows of a query as they were when it ran.
public struct QueryResult: Sendable, RandomAccessCollection, Equatable {
    private let rows: [QueryRow]
    /// The query that gave it.
    public let query: DatabaseQuery
    private let mark: QueryMark

    init(_ rows: [QueryRow], of query: DatabaseQuery, _ mark: QueryMark) {
        self.rows = rows
        self.query = query
        self.mark = mark
    }

    /// The same rows, which another look has found to be the present ones.
    func refreshed(_ mark: QueryMark) -> QueryResult { QueryResult(rows, of: query, mark) }

    public var startIndex: Int { 0 }
    public var endIndex: Int { rows.count }
    public subscript(position: Int) -> QueryRow { rows[position] }

    /// The last sequence of the database when the query began: what was committed later may be missing.
    public var lastSequence: UInt64 { mark.sequence }

    /// Whether the same query might give other rows now, were the index brought up to date before: the database has
    /// changed since the query began, the view was set anew or deleted, or the rows lacked changes already, as they may
    /// with `update: .never` and `.after`.
    ///
    /// - Throws: `notOpen` (503).
    public func isStale() throws(StorageError) -> Bool {
        if mark.isBehind { return true }
        return try QueryMark(query) != mark
    }

    /// Whether rows may differ though nothing was emitted anew: they come with documents, or show none of their
    /// content.
    var dependsOnDocuments: Bool { query.includeDocs || rows.contains(where: \.showsNoContent) }

    /// The same rows in the same order, whatever the queries; rows are compared as `QueryRow` says.
    public static func == (a: QueryResult, b: QueryResult) -> Bool { a.rows == b.rows }
}
