internal import SetteeExpressions
internal import SetteeIndexes
internal import StorageProtocol

/// Unions of what the parts of an `$or` find.
extension FindPlanner {
    /// So many parts of an `$or` are read one by one.
    private static let mostAlternatives = 64
    /// So many conditions and values are looked at for them.
    private static let mostOperands = 1 << 18

    /// The cheapest ways of all parts of an `$or`, together; nil if one of them would need a walk over all documents.
    ///
    /// - Parameter intersecting: whether to intersect indexes wherever that is possible, for tests that compare plans.
    func union(intersecting: Bool = false) throws(StorageError) -> Candidate? {
        guard let alternatives = query.selector.alternatives, alternatives.count <= FindPlanner.mostAlternatives else {
            return nil
        }
        // Each part has the conditions beside the `$or`, too, which may be long lists of values.
        let operands = alternatives.reduce(0) { $0 + $1.operandCount }
        guard operands <= FindPlanner.mostOperands else { return nil }
        var parts: [FindPlan.Access] = []
        var outdated: [IndexName] = []
        var documents = 0.0
        var cost = 0.0
        for alternative in alternatives {
            let candidates = try candidates(for: alternative).found
            guard var best = candidates.min(by: { $0.documents < $1.documents }) else { return nil }
            let both =
                intersecting
                ? allIntersections(of: candidates).first
                : try intersection(of: candidates, costBelow: best.documents * FindPlanner.fetchCost)
            if let both { best = both }
            if case .documents(.all) = best.plan.access { return nil }
            parts.append(best.plan.access)
            outdated += best.outdated
            documents += best.documents
            cost += both.map { $0.cost / FindPlanner.fetchCost } ?? best.documents
        }
        var candidate = walk(.union(parts), documents: documents)
        candidate.outdated = Array(Set(outdated))
        candidate.cost = cost * (FindPlanner.fetchCost + 1) + (candidate.plan.order == .sorted ? documents : 0) + 3
        return candidate
    }
}
