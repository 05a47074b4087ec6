internal import SetteeEngine
internal import StorageProtocol

/// Where the rows of a query come from, page by page, each page of one snapshot.
protocol PageSource: Sendable {
    /// The next rows, at most `maximum`; none at the end, and then always none. For a maximum of 0 it looks only
    /// whether rows can be read.
    ///
    /// - Throws: a storage failure, or what a reduce function throws.
    mutating func page(_ transaction: any ReadTransaction, maximum: Int) throws -> RowPage
}
