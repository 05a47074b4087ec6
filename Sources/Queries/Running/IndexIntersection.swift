internal import SetteeEngine
internal import SetteeIndexes
internal import StorageProtocol

/// One of the indexes of an intersection.
struct IntersectedIndex: Sendable {
    let index: ValueIndex
    let ranges: IndexRanges
    /// How many rows are in the ranges, about.
    var rows: Double
}

/// Finds the documents that have rows in the ranges of all of several indexes.
///
/// The IDs of one index are put into a filter of fixed size, and those of the next one are looked up in it. A few
/// documents too many pass: each of them is checked against the whole selector all the same. The IDs that pass all
/// filters are kept, a number of them at a time, in the order of IDs, so that no number of documents takes more
/// memory.
struct IndexIntersection {
    private let last: (reader: ValueIndexReader, ranges: [IndexRange])
    /// The IDs that are in all other indexes.
    private var filter: IDFilter
    private let transaction: any ReadTransaction
    private let cancellation: Cancellation?
    /// How many rows were read.
    private(set) var rowCount = 0

    /// - Parameter parts: at least two, the one with the fewest rows first.
    init(
        _ parts: [IntersectedIndex],
        of database: Database,
        in transaction: any ReadTransaction,
        _ cancellation: Cancellation?
    ) throws(StorageError) {
        let sources = try parts.map {
            (part) throws(StorageError) -> (reader: ValueIndexReader, ranges: [IndexRange]) in
            guard let reader = try ValueIndexReader(part.index, of: database, in: transaction) else {
                throw ValueIndexReader.gone(part.index)
            }
            let others = try reader.hasUnindexable(transaction) ? [IndexRanges.unindexable] : []
            return (reader, part.ranges.ranges + others)
        }
        last = sources[sources.count - 1]
        filter = IDFilter(expected: parts[0].rows)
        self.transaction = transaction
        self.cancellation = cancellation
        for (place, source) in sources.dropLast().enumerated() {
            let previous = filter
            var next = IDFilter(expected: parts[0].rows)
            try forEachID(of: source) { id in
                if place == 0 || previous.mayContain(id) { next.insert(id) }
            }
            filter = next
        }
    }

    /// Returns the IDs of the next documents, in order.
    ///
    /// - Parameters:
    ///   - position: only IDs behind it.
    ///   - backward: whether IDs that are smaller are behind.
    ///   - most: how many are returned at most, and kept twice.
    /// - Returns: also whether there may be others behind them.
    mutating func ids(
        behind position: [UInt8]?,
        backward: Bool,
        atMost most: Int
    ) throws(StorageError) -> (ids: [[UInt8]], hasMore: Bool) {
        var ids: Set<[UInt8]> = []
        var hasMore = false
        func first() -> [[UInt8]] {
            let sorted = ids.sorted { $0.lexicographicallyPrecedes($1) }
            return Array(backward ? sorted.suffix(most) : sorted.prefix(most))
        }
        let filter = filter
        try forEachID(of: last) { id in
            guard filter.mayContain(id) else { return }
            let bytes = unsafe id.withUnsafeBytes { unsafe Array($0) }
            if let position {
                if bytes == position || bytes.lexicographicallyPrecedes(position) != backward { return }
            }
            ids.insert(bytes)
            if ids.count >= 2 * most {
                ids = Set(first())
                hasMore = true
            }
        }
        if ids.count > most { hasMore = true }
        return (first(), hasMore)
    }

    private mutating func forEachID(
        of source: (reader: ValueIndexReader, ranges: [IndexRange]),
        _ body: (RawSpan) -> Void
    ) throws(StorageError) {
        var count = 0
        for range in source.ranges {
            try source.reader.ids(in: range, transaction) { (id) throws(StorageError) in
                count += 1
                if count & 0xFFF == 0 { try cancellation?.check() }
                body(id)
            }
        }
        rowCount += count
    }
}
