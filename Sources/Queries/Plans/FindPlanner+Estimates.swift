internal import SetteeExpressions
internal import StorageProtocol

/// What indexes will find that have to be brought up to date first.
extension FindPlanner {
    /// The part of all documents that is hoped for in the ranges of an index that was never built.
    private static let hopedShare = 0.2

    /// How many documents an index that lacks too many changes will find. They are counted when it is up to date and
    /// the plan is made again. One that was never built gets the chance: else a range would never have it built.
    func estimate(
        _ index: ValueIndex,
        _ ranges: IndexRanges,
        _ depth: Int
    ) throws(StorageError) -> Double {
        guard let rows = try ValueIndexReader.outdated(index, of: query.database, in: transaction) else {
            return documentCount * (ranges.boundParts > 0 ? min(ranges.share, FindPlanner.hopedShare) : ranges.share)
        }
        let count = try rows.count(ranges.ranges, atMost: depth, transaction).count
        return count < depth ? Double(count) : max(Double(count), documentCount * ranges.share)
    }
}
