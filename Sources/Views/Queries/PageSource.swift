internal import SetteeEngine
internal import StorageProtocol

/// A source of the rows of a query, page by page. Each page is from one snapshot.
protocol PageSource: Sendable {
    /// Returns the next rows, at most `maximum`; none at the end, and none from then on. With a maximum of 0 it only
    /// checks that rows can be read.
    ///
    /// - Throws: a storage failure, or what a reduce function throws.
    mutating func page(_ transaction: any ReadTransaction, maximum: Int) throws -> RowPage
}
