internal import SetteeDocumentValues
internal import SetteeEngine
internal import SetteeExpressions
internal import StorageProtocol

/// The ranges of an index in which all documents of a query are.
struct IndexRanges: Sendable {
    /// More than this many are joined.
    static let most = 4096

    /// Disjoint, in the order of the keys. Without the rows of documents that have no key.
    private(set) var ranges: [IndexRange] = []
    /// How many leading parts have a single key.
    private(set) var equalParts = 0
    /// How many leading parts are bounded in any way.
    private(set) var boundParts = 0

    /// What part of the rows is in the ranges, about, where nothing was counted.
    var share: Double {
        var share = boundParts > equalParts ? 0.3 : 1.0
        for _ in 0..<equalParts { share *= 0.1 }
        return share
    }

    /// The rows of documents that have no key.
    static let unindexable = IndexRange(lower: .including(IndexPosition(key: [PartKey.unindexable])), upper: .open)

    init(_ facts: inout SelectorFacts, in index: ValueIndex) {
        var prefixes: [[UInt8]] = [[]]
        for part in index.parts {
            let found = facts.ranges(of: part.path)
            if found.ranges.isAll, found.mayBeMissing { break }
            let bounds = PartBounds(
                found.ranges.joined(beyond: IndexRanges.most),
                mayBeMissing: found.mayBeMissing,
                isComplemented: part.isComplemented
            )
            boundParts += 1
            guard bounds.arePoints, prefixes.count * bounds.intervals.count <= IndexRanges.most else {
                add(bounds.intervals, behind: prefixes)
                return
            }
            if bounds.intervals.count == 1, equalParts == boundParts - 1 { equalParts += 1 }
            prefixes = prefixes.flatMap { prefix in bounds.intervals.map { prefix + $0.lower } }
            if prefixes.isEmpty { return }
        }
        for prefix in prefixes { add(lower: prefix, upper: CollationKey.end(ofPrefix: prefix)) }
    }

    private mutating func add(_ intervals: [PartBounds.Interval], behind prefixes: [[UInt8]]) {
        guard let first = intervals.first, let last = intervals.last else { return }
        let isJoined = prefixes.count * intervals.count > IndexRanges.most
        for prefix in prefixes {
            func end(_ interval: PartBounds.Interval) -> [UInt8]? {
                interval.upper.map { prefix + $0 } ?? CollationKey.end(ofPrefix: prefix)
            }
            if isJoined {
                add(lower: prefix + first.lower, upper: end(last))
            } else {
                for interval in intervals { add(lower: prefix + interval.lower, upper: end(interval)) }
            }
        }
    }

    private mutating func add(lower: [UInt8], upper: [UInt8]?) {
        ranges.append(
            IndexRange(
                lower: lower.isEmpty ? .open : .including(IndexPosition(key: lower)),
                upper: .excluding(IndexPosition(key: upper ?? [PartKey.unindexable]))
            )
        )
    }
}
