internal import SetteeEngine
internal import SetteeIndexes

/// The rows of a query as an asynchronous sequence, read in batches.
public struct QueryStream: AsyncSequence, Sendable {
    public typealias Element = QueryRow

    private let query: DatabaseQuery

    init(_ query: DatabaseQuery) { self.query = query }

    public func makeAsyncIterator() -> Iterator { Iterator(query) }

    /// Reads the next batch when the previous one is used up, and checks for cancellation before each. Throws like
    /// `DatabaseQuery.forEach`.
    public struct Iterator: AsyncIteratorProtocol {
        private let query: DatabaseQuery
        private var cursor: QueryCursor?
        private var rows: ArraySlice<QueryRow> = []
        private var isOver = false

        init(_ query: DatabaseQuery) { self.query = query }

        public mutating func next() async throws -> QueryRow? {
            if let row = rows.popFirst() { return row }
            if isOver { return nil }
            let present = try cursor ?? QueryCursor(query)
            do {
                let (batch, next) = try await Cancellation.run(in: query.database) { cancellation in
                    var cursor = present
                    return (try cursor.next(cancellation), cursor)
                }
                cursor = next
                rows = batch[...]
                isOver = batch.isEmpty
            } catch {
                isOver = true
                cursor = nil
                throw error
            }
            return rows.popFirst()
        }
    }
}
