internal import SetteeEngine
public import StorageProtocol

/// The rows of a query, as they were when it ran.
public struct QueryResult: Sendable, RandomAccessCollection, Equatable {
    private let rows: [QueryRow]
    /// The query that returned the rows.
    public let query: DatabaseQuery
    private let mark: QueryMark

    init(_ rows: [QueryRow], of query: DatabaseQuery, _ mark: QueryMark) {
        self.rows = rows
        self.query = query
        self.mark = mark
    }

    /// Returns the same rows with a new mark, after they were found to be current.
    func refreshed(_ mark: QueryMark) -> QueryResult { QueryResult(rows, of: query, mark) }

    public var startIndex: Int { 0 }
    public var endIndex: Int { rows.count }
    public subscript(position: Int) -> QueryRow { rows[position] }

    /// The last sequence of the database when the query began. Rows may lack what was committed later.
    public var lastSequence: UInt64 { mark.sequence }

    /// Returns whether the same query could return other rows now, if the index were brought up to date first: the
    /// database has changed since the query began, the view was set again or deleted, or the rows already lacked
    /// changes, which is possible with `update: .never` and `.after`.
    ///
    /// - Throws: `notOpen` (503).
    public func isStale() throws(StorageError) -> Bool {
        if mark.isBehind { return true }
        return try QueryMark(query) != mark
    }

    /// Whether rows may differ even though nothing new was emitted: they include documents, or show none of their
    /// content.
    var dependsOnDocuments: Bool { query.includeDocs || rows.contains(where: \.showsNoContent) }

    /// Returns whether the results have the same rows in the same order, whatever the queries. Rows are compared as
    /// `QueryRow` describes.
    public static func == (a: QueryResult, b: QueryResult) -> Bool { a.rows == b.rows }
}
