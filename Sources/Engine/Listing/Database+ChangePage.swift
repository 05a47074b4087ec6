package import StorageProtocol

/// Some changes in a row, all of one state.
package struct ChangePage: Sendable {
    package var rows: [DocumentRow]
    /// Whether no change follows.
    package var isLast: Bool
}

extension Database {
    /// Reads the next changes, for callers that go on from the last row later: at most `limit`, and no more once their
    /// bodies have `bytes` together, but one at least.
    ///
    /// - Parameters:
    ///   - sequence: Only changes with a higher one.
    ///   - last: Only changes up to this one; nil: up to now.
    /// - Throws: `notOpen` (503), `corrupt` (591).
    package func changePage(
        since sequence: UInt64,
        through last: UInt64? = nil,
        limit: Int,
        bytes: Int,
        descending: Bool = false,
        includeDocs: Bool = false,
        includeLeaves: Bool = false
    ) throws(StorageError) -> ChangePage {
        var source = try ChangeSource(
            ChangesQuery(
                since: sequence,
                through: last,
                descending: descending,
                includeBodies: includeDocs,
                includeLeaves: includeLeaves,
                bytesOfPage: bytes
            )
        )
        var listing = trace.map { ListingTrace($0, source.order) }
        defer { listing?.end() }
        listing?.begin()
        let rows = try withReadTransaction { (transaction) throws(StorageError) in
            try source.page(transaction, of: self, maximum: limit)
        }
        listing?.add(rows)
        return ChangePage(rows: rows, isLast: source.ended)
    }
}
