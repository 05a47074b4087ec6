package import SetteeEngine

/// Rows of a query, read in batches.
package protocol RowCursor<Row>: Sendable {
    associatedtype Row: Sendable

    /// Returns the next rows; none at the end. On a background thread.
    mutating func nextBatch(_ cancellation: Cancellation) throws -> [Row]
}

/// The rows of a query as an asynchronous sequence, read in batches off the caller's thread.
public struct QueryStream<Row: Sendable>: AsyncSequence, Sendable {
    public typealias Element = Row

    private let database: Database
    private let begin: @Sendable () throws -> any RowCursor<Row>

    /// - Parameter begin: makes a cursor before the first row; called for each iterator.
    package init(of database: Database, _ begin: @escaping @Sendable () throws -> any RowCursor<Row>) {
        self.database = database
        self.begin = begin
    }

    public func makeAsyncIterator() -> Iterator { Iterator(database, begin) }

    /// Reads the next batch when the previous one is used up, and checks for cancellation before each. Throws like the
    /// query's `forEach`.
    public struct Iterator: AsyncIteratorProtocol {
        private let database: Database
        private let begin: @Sendable () throws -> any RowCursor<Row>
        private var cursor: (any RowCursor<Row>)?
        private var rows: ArraySlice<Row> = []
        private var isOver = false

        init(_ database: Database, _ begin: @escaping @Sendable () throws -> any RowCursor<Row>) {
            self.database = database
            self.begin = begin
        }

        public mutating func next() async throws -> Row? {
            if let row = rows.popFirst() { return row }
            if isOver { return nil }
            do {
                let present = try cursor ?? begin()
                let (batch, next) = try await Cancellation.run(in: database) { cancellation in
                    var cursor = present
                    return (try cursor.nextBatch(cancellation), cursor)
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
