internal import SetteeEngine
internal import SetteeExpressions
internal import SetteeIndexes
internal import StorageProtocol

/// Intersections of indexes: documents that several conditions together leave few of, each on a field with an index of
/// its own.
extension FindPlanner {
    /// What a row of an index costs, compared with a document of a walk over all.
    private static let rowCost = 0.4
    /// Where another way costs less, nothing is to be gained.
    private static let leastCost = 1_000.0
    /// An intersection costs at most this part of the best other way: the fields may depend on each other.
    private static let leastGain = 0.7

    /// The intersection that reads least; nil if another candidate is about as cheap.
    ///
    /// Only rows that were counted are trusted, but for indexes that have to be brought up to date first. It is assumed
    /// that the conditions do not depend on each other.
    ///
    /// - Parameter least: the lowest cost of any other way.
    func intersection(of candidates: [Candidate], costBelow least: Double) throws(StorageError) -> Candidate? {
        guard least >= FindPlanner.leastCost else { return nil }
        let usable = candidates.filter(\.canBeIntersected).sorted { $0.documents < $1.documents }
        guard usable.count > 1 else { return nil }
        let most = min(2 * least / FindPlanner.fetchCost, documentCount / 4)
        // What may be counted besides.
        var budget = 2 * most
        var parts: [IntersectedIndex] = []
        var cost = least
        var outdated: [IndexName] = []
        for candidate in usable {
            let isOutdated = !candidate.outdated.isEmpty
            let known = isOutdated ? candidate.documents : candidate.counted
            guard var part = IntersectedIndex(candidate, rows: known), known <= most,
                !part.isBound(withOneOf: parts), parts.isEmpty || self.cost(of: parts + [part]) < cost
            else { continue }
            if known < candidate.documents {
                let limit = min(most, budget)
                part.rows = try count(part, atMost: Int(limit) + 1)
                budget -= part.rows
                guard part.rows <= limit else { continue }
            }
            let all = (parts + [part]).sorted { $0.rows < $1.rows }
            guard parts.isEmpty || self.cost(of: all) < cost else { continue }
            cost = min(cost, self.cost(of: all))
            parts = all
            outdated += candidate.outdated
        }
        guard parts.count > 1, cost < least * FindPlanner.leastGain else { return nil }
        var candidate = intersection(of: parts)
        candidate.outdated = outdated
        return candidate
    }

    /// All pairs of indexes that could be intersected, and all indexes together, for tests that compare plans.
    func allIntersections(of candidates: [Candidate]) -> [Candidate] {
        let parts = candidates.filter(\.canBeIntersected).compactMap { IntersectedIndex($0, rows: $0.documents) }
        var found: [Candidate] = []
        var all: [IntersectedIndex] = []
        for (place, part) in parts.enumerated() {
            for other in parts[..<place] where !part.isBound(withOneOf: [other]) {
                found.append(intersection(of: [other, part]))
            }
            if !part.isBound(withOneOf: all) { all.append(part) }
        }
        return all.count > 2 ? found + [intersection(of: all)] : found
    }

    private func intersection(of parts: [IntersectedIndex]) -> Candidate {
        var candidate = walk(.intersection(parts), documents: documents(in: parts))
        candidate.cost = cost(of: parts) + (candidate.plan.order == .sorted ? candidate.documents : 0)
        return candidate
    }

    /// How many documents are in all of the indexes, about.
    private func documents(in parts: [IntersectedIndex]) -> Double {
        parts.reduce(documentCount) { $0 * min(1, $1.rows / max(1, documentCount)) }
    }

    private func cost(of parts: [IntersectedIndex]) -> Double {
        parts.reduce(3) { $0 + $1.rows * FindPlanner.rowCost } + documents(in: parts) * FindPlanner.fetchCost
    }

    private func count(_ part: IntersectedIndex, atMost most: Int) throws(StorageError) -> Double {
        guard let reader = try ValueIndexReader(part.index, of: query.database, in: transaction) else {
            return .infinity
        }
        return Double(try reader.count(part.ranges.ranges, atMost: most, transaction).count)
    }
}

extension FindPlanner.Candidate {
    /// Whether it reads a part of an index. What has not seen enough is brought up to date only for a comparison for
    /// equality.
    fileprivate var canBeIntersected: Bool {
        guard case .index(_, let ranges) = plan.access else { return false }
        return ranges.boundParts > 0 && (outdated.isEmpty || ranges.equalParts > 0)
    }
}

extension IntersectedIndex {
    fileprivate init?(_ candidate: FindPlanner.Candidate, rows: Double) {
        guard case .index(let index, let ranges) = candidate.plan.access else { return nil }
        self.init(index: index, ranges: ranges, rows: rows)
    }

    private var boundPaths: [FieldPath] { index.parts.prefix(ranges.boundParts).map(\.path) }

    /// Whether a field bounds this one and one of the others: they have the same documents then.
    fileprivate func isBound(withOneOf others: [IntersectedIndex]) -> Bool {
        let paths = Set(boundPaths)
        return others.contains { other in !paths.isDisjoint(with: other.boundPaths) }
    }
}
