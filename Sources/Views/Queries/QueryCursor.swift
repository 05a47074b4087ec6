internal import SetteeEngine
package import SetteeIndexes
package import StorageProtocol

/// Runs a query in batches.
package struct QueryCursor: Sendable {
    /// The most rows in a batch.
    package static let batchSize = 256

    private let query: DatabaseQuery
    private let needsSequences: Bool
    private let leavesUpdate: Bool
    private var source: (any PageSource)?
    private var skip: Int
    private var remaining: Int
    private var trace: QueryTrace?
    /// Brings the index up to date after the rows have been read, for queries that need that. Set from the first page
    /// on.
    private var afterwards: UpdateAfterwards?

    /// - Parameter needsSequences: whether rows are going to be compared with others.
    /// - Throws: `badParameter` (495).
    package init(
        _ query: DatabaseQuery,
        needsSequences: Bool = false,
        leavesUpdate: Bool = true
    ) throws(StorageError) {
        try query.checkOptions()
        self.query = query
        self.needsSequences = needsSequences
        self.leavesUpdate = leavesUpdate
        skip = query.skip
        remaining = query.limit ?? Int.max
        trace = query.database.trace.map { QueryTrace($0, query) }
    }

    /// Returns the next rows; none at the end.
    ///
    /// - Parameter most: how many rows to read at once, at least 1.
    /// - Throws: what the post filter or a reduce function throws.
    package mutating func next(
        _ cancellation: Cancellation? = nil,
        atMost most: Int = QueryCursor.batchSize
    ) throws -> [QueryRow] {
        trace?.begin()
        let rows = try batch(cancellation, most)
        trace?.add(rows, isEnd: rows.isEmpty || remaining == 0)
        if rows.isEmpty || remaining == 0 { afterwards?.begin() }
        return rows
    }

    private mutating func batch(_ cancellation: Cancellation?, _ most: Int) throws -> [QueryRow] {
        // Even for a limit of 0, one page without rows is read, to report errors in the query.
        while remaining > 0 || source == nil {
            try cancellation?.check()
            let isCounted = query.postFilter == nil || remaining == 0
            let maximum = isCounted ? min(most, remaining) : most
            let page = try nextPage(maximum, cancellation)
            leaveUpdate()
            if page.entries.isEmpty { return [] }
            let rows = try accepted(page)
            remaining -= rows.count
            if !rows.isEmpty { return rows }
        }
        return []
    }

    private mutating func accepted(_ page: RowPage) throws -> [QueryRow] {
        var rows = page.entries.indices.map { QueryRow($0, of: page, includesDocument: query.includeDocs) }
        guard let filter = query.postFilter else { return rows }
        rows = try rows.filter { try filter.accepts($0) }
        let passed = min(skip, rows.count)
        skip -= passed
        return Array(rows.dropFirst(passed).prefix(remaining))
    }

    /// Makes sure that the index is brought up to date however the query ends.
    private mutating func leaveUpdate() {
        guard leavesUpdate, afterwards == nil, query.update == .after, case .view(let name) = query.source,
            let name = try? IndexName(view: name), !query.database.readsOnly
        else { return }
        afterwards = UpdateAfterwards(query.database, name)
    }

    private mutating func nextPage(_ maximum: Int, _ cancellation: Cancellation?) throws -> RowPage {
        if source == nil {
            // With a filter, rows cannot be skipped unread, because the filter decides which ones count.
            let passing = query.postFilter == nil ? skip : 0
            switch query.source {
            case .documents(let mode):
                source = try AllDocumentsSource(query, mode, skip: passing)
            case .view(let name):
                let start = FirstPage(
                    query: query,
                    name: try IndexName(view: name),
                    skip: passing,
                    needsSequences: needsSequences,
                    cancellation: cancellation
                )
                let (page, source) = try start.run(maximum: maximum)
                trace?.isReduced = source is GroupSource
                self.source = source
                return page
            }
        }
        guard var source else { throw StorageError(.unexpected, "The query was not begun.") }
        let result = try query.database.withReadTransaction { (transaction) throws(StorageError) in
            Result { try source.page(transaction, maximum: maximum) }
        }
        let page = try result.get()
        self.source = source
        return page
    }
}
