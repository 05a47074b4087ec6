internal import SetteeDocumentValues
internal import SetteeEngine
internal import SetteeExpressions
internal import SetteeIndexes
internal import StorageProtocol

/// Chooses how the rows of a query are found, on one snapshot.
///
/// Candidates are the documents with some IDs, each index that can serve, an intersection of indexes, a union of these
/// for each part of an `$or`, and all documents. The one that reads least is taken: up to `FindPlanner.diveLength` rows
/// of an index are counted, more are estimated.
struct FindPlanner {
    /// At least this many rows of each index are counted before one is chosen.
    static let diveLength = 256
    /// Beyond that, one row is counted for this many documents: it costs little compared with a walk over all.
    private static let documentsPerCountedRow = 16.0
    /// How many of them are kept, so that they need not be read again.
    private static let mostKept = 16
    /// What reading a document by its ID costs, compared with reading it in a walk over all.
    static let fetchCost = 4.0
    /// What a walk over all documents costs more where indexes are preferred.
    private static let preference = 10_000.0

    /// What a planner comes to.
    enum Choice {
        case plan(FindPlan)
        /// The best plan reads indexes that lack too much. They have to be brought up to date first.
        case update([IndexName], first: FindPlan)

        var outdated: [IndexName] { if case .update(let names, _) = self { names } else { [] } }
    }

    /// A plan, and what it costs.
    struct Candidate {
        var plan: FindPlan
        /// How many documents are looked at, about.
        var documents: Double
        var cost: Double
        /// The indexes that have to be brought up to date first.
        var outdated: [IndexName] = []
        /// How many rows of the index were counted. If these are all, `documents` is the same.
        var counted = 0.0

        var choice: Choice { outdated.isEmpty ? .plan(plan) : .update(outdated.sorted(), first: plan) }
    }

    let query: FindQuery
    let indexes: [ValueIndex]
    let sort: [(path: FieldPath, descending: Bool)]
    let transaction: any ReadTransaction
    /// Whether indexes can be brought up to date before the query runs.
    let mayUpdate: Bool
    /// Looked at before each index.
    var cancellation: Cancellation?
    let documentCount: Double

    init(
        _ query: FindQuery,
        _ indexes: [ValueIndex],
        _ sort: [(path: FieldPath, descending: Bool)],
        in transaction: any ReadTransaction,
        mayUpdate: Bool
    ) throws(StorageError) {
        self.mayUpdate = mayUpdate
        self.query = query
        self.indexes = indexes
        self.sort = sort
        self.transaction = transaction
        documentCount = Double(try transaction.counters().liveDocuments)
    }

    /// - Throws: `badParameter` (495) if all documents would have to be read, and the query does not allow it.
    func choose() throws(StorageError) -> Choice {
        var (candidates, rejected) = try candidates(for: query.selector)
        if let union = try union() { candidates.append(union) }
        let hasUsableIndex = candidates.contains { !$0.plan.indexes.isEmpty }
        candidates.append(walk(.documents(.all), documents: documentCount))
        let least = candidates.map(\.cost).min() ?? 0
        if let both = try intersection(of: candidates, costBelow: least) { candidates.append(both) }
        if query.hints.prefersIndexes { preferIndexes(&candidates) }
        if let route = query.hints.route { candidates = try candidates.along(route) }
        if !query.allowsFullScan {
            candidates.removeAll(where: \.plan.isFullScan)
            if candidates.isEmpty { throw FindPlanner.noIndex(query.selector) }
        }
        // The first of those with the same cost.
        var best = candidates[0]
        for candidate in candidates.dropFirst() where candidate.cost < best.cost { best = candidate }
        for candidate in candidates {
            guard case .index(let index, _) = candidate.plan.access else { continue }
            if best.plan.isRead(index) { continue }
            let reason = "another way reads less: about \(Int(best.cost)) against \(Int(candidate.cost))"
            rejected.append(FindRejection(index.name, .costlier, reason))
        }
        best.plan.rejected = rejected
        best.plan.hasUsableIndex = hasUsableIndex
        return best.choice
    }

    private func preferIndexes(_ candidates: inout [Candidate]) {
        for place in candidates.indices where candidates[place].plan.indexes.isEmpty {
            if query.hints.indexes != nil {
                candidates[place].cost += 1e15
            } else if candidates[place].plan.isFullScan {
                candidates[place].cost += FindPlanner.preference
            }
        }
    }

    /// Every way to find the rows, for tests that compare them.
    func allCandidates() throws(StorageError) -> [Candidate] {
        let candidates = try candidates(for: query.selector).found
        let unions = [try union(), try union(intersecting: true)].compactMap(\.self)
        let all = walk(.documents(.all), documents: documentCount)
        return candidates + allIntersections(of: candidates) + unions + [all]
    }

    private static func noIndex(_ selector: MangoSelector) -> StorageError {
        let fields = selector.fields.map { "'\($0.text)'" }.sorted().joined(separator: ", ")
        return StorageError(
            .badParameter,
            "No index can answer the query, and it does not allow that all documents are read. Create one on "
                + (fields.isEmpty ? "the field it is sorted by." : "one or more of \(fields).")
        )
    }

    // MARK: - Candidates

    /// The ways to find the documents for which a selector holds, without a walk over all; and why other indexes
    /// cannot.
    func candidates(
        for selector: MangoSelector
    ) throws(StorageError) -> (found: [Candidate], rejected: [FindRejection]) {
        var found: [Candidate] = []
        var rejected: [FindRejection] = []
        if let access = IDRanges.access(selector.ranges(of: try FieldPath(mango: "_id")).ranges) {
            switch access {
            case .nothing: found.append(walk(.nothing, documents: 0))
            case .ids(let ids):
                var candidate = walk(access, documents: Double(ids.count))
                candidate.cost *= FindPlanner.fetchCost
                found.append(candidate)
            // How many they are is not known.
            default: found.append(walk(access, documents: documentCount / 3))
            }
        }
        var least = documentCount
        var facts = SelectorFacts(selector)
        for index in indexes {
            try cancellation?.check()
            guard mayUse(index) else {
                rejected.append(FindRejection(index.name, .unnamed, "the query names another one"))
                continue
            }
            if let condition = index.condition, !facts.implies(condition) {
                rejected.append(FindRejection(index.name, .partial, "the query does not imply its condition"))
                continue
            }
            let ranges = IndexRanges(&facts, in: index)
            let order = order(of: index, ranges)
            let givesOrder = !sort.isEmpty && order.order != .sorted
            guard ranges.boundParts > 0 || givesOrder || index.condition != nil else {
                let first = index.parts[0].path.text
                let reason = "its first field, '\(first)', is not bounded, and it does not give the order"
                rejected.append(FindRejection(index.name, .unbounded, reason))
                continue
            }
            switch try candidate(index, ranges, order.order, isBackward: order.isBackward, costBelow: least) {
            case .some(let candidate):
                found.append(candidate)
                least = min(least, candidate.cost)
            case .none:
                let reason = "it lacks too many changes, and cannot be updated here"
                rejected.append(FindRejection(index.name, .outdated, reason))
            }
        }
        return (found, rejected)
    }

    private func mayUse(_ index: ValueIndex) -> Bool {
        if let wanted = query.useIndex, !wanted.utf8.elementsEqual(index.name.utf8) { return false }
        return query.hints.indexes?.contains { $0.utf8.elementsEqual(index.name.utf8) } ?? true
    }

    func walk(_ access: FindPlan.Access, documents: Double) -> Candidate {
        let byID = sort.count == 1 && sort[0].path.isDocumentID
        let order: FindPlan.Order = sort.isEmpty || byID ? .served : .sorted
        let plan = FindPlan(access: access, order: order, isBackward: byID && sort[0].descending)
        return Candidate(plan: plan, documents: documents, cost: documents + 1)
    }

    /// Nil if the index cannot be read.
    ///
    /// - Parameter least: the lowest cost so far. It need not be known how much more an index costs.
    private func candidate(
        _ index: ValueIndex,
        _ ranges: IndexRanges,
        _ order: FindPlan.Order,
        isBackward: Bool,
        costBelow least: Double
    ) throws(StorageError) -> Candidate? {
        var order = order
        var outdated: [IndexName] = []
        var documents: Double
        var known = 0.0
        var rows: [FindPosition]?
        if let readable = try ValueIndexReader(index, of: query.database, in: transaction) {
            // Documents without a key have no place in the order.
            if order != .sorted, !sort.isEmpty, !continues(index), try readable.hasUnindexable(transaction) {
                order = .sorted
            }
            let depth = diveDepth(order, costBelow: least)
            let counted = try readable.count(
                ranges.ranges,
                atMost: depth,
                keeping: FindPlanner.mostKept,
                transaction
            )
            documents = Double(counted.count)
            if counted.count == counted.first.count { rows = counted.first }
            known = documents
            if counted.count >= depth {
                documents = max(documents, Double(try readable.rowCount(transaction)) * ranges.share)
            }
        } else {
            guard mayUpdate else { return nil }
            outdated.append(index.indexName)
            documents = try estimate(index, ranges, diveDepth(order, costBelow: least))
        }
        var read = documents
        // An order that is there ends the search early.
        if order != .sorted, let limit = query.limit {
            read = min(read, (Double(limit) + Double(query.skip)) * 10 + 1)
        }
        let sorting = order == .sorted && !sort.isEmpty ? documents : 0
        var plan = FindPlan(access: .index(index, ranges), order: order, isBackward: isBackward)
        plan.rows = rows
        let cost = read * FindPlanner.fetchCost + sorting + 2
        return Candidate(
            plan: plan,
            documents: documents,
            cost: cost,
            outdated: outdated,
            counted: known
        )
    }

    /// How many rows of an index are counted. Few where a limit ends the search early.
    private func diveDepth(_ order: FindPlan.Order, costBelow least: Double) -> Int {
        if order != .sorted, query.limit != nil { return FindPlanner.diveLength }
        let most = min(documentCount / FindPlanner.documentsPerCountedRow, least / FindPlanner.fetchCost)
        return max(FindPlanner.diveLength, Int(most) + 1)
    }

    /// Whether the page before has left off in this index.
    private func continues(_ index: ValueIndex) -> Bool {
        guard case .byIndex(let name, _, _) = query.hints.route else { return false }
        return name.utf8.elementsEqual(index.name.utf8)
    }

    // MARK: - Order

    /// How the rows of an index compare with the order of the query. Fields that have a single value do not count.
    func order(of index: ValueIndex, _ ranges: IndexRanges) -> (order: FindPlan.Order, isBackward: Bool) {
        if sort.isEmpty { return (.served, false) }
        var wanted = sort[...]
        var isBackward: Bool?
        var part = ranges.equalParts
        let fixed = Set(index.parts.prefix(ranges.equalParts).map(\.path))
        while let next = wanted.first {
            if fixed.contains(next.path) {
                wanted.removeFirst()
                continue
            }
            guard part < index.parts.count, index.parts[part].path == next.path else { return (.sorted, false) }
            let turns = index.parts[part].isComplemented != next.descending
            guard isBackward == nil || isBackward == turns else { return (.sorted, false) }
            isBackward = turns
            part += 1
            wanted.removeFirst()
        }
        let backward = isBackward ?? (sort.last?.descending ?? false)
        // The IDs of equal documents ascend in an index that is read forwards.
        let isWhole = part == index.parts.count && backward == (sort.last?.descending ?? false)
        return (isWhole ? .served : .grouped, backward)
    }
}
