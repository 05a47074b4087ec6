internal import SetteeEngine
internal import StorageProtocol

/// One pass over a range of an index: reads rows, uses stored summaries instead of the rows of blocks that lie within
/// the range and the group, and passes on each group when it ends.
struct GroupPass: ~Copyable {
    /// Summaries are not looked up for a group with fewer rows so far: in most indexes groups are either small or
    /// large.
    private static let smallGroup = 8

    private let walk: GroupWalk
    private let descending: Bool
    private let usesSummaries: Bool
    private let transaction: any IndexReader
    private let run: ReductionRun
    /// What remains of the range.
    private var rest: IndexRange
    /// The bound of the range in the direction of the walk.
    private let limit: RowLimit?
    private var group: GroupBounds?
    /// What the reduction or the caller's closure threw.
    private var failure: (any Error)?
    /// Whether the caller's closure has ended the pass.
    private var isDone = false
    /// Whether the last block ended with the last row.
    private var isExhausted = false
    /// Whether no row was read yet.
    private var isFirst = true
    /// Whether the next row follows a block taken from summaries after which no more summaries were found.
    private var isBehindBlock = false

    init(walk: GroupWalk, range: IndexRange, usesSummaries: Bool, transaction: any IndexReader) {
        self.walk = walk
        self.usesSummaries = usesSummaries
        self.transaction = transaction
        descending = walk.descending
        run = ReductionRun(walk.tree.countsOnly ? .count : walk.tree.reduce, keepsFaults: walk.keepsFaults)
        rest = range
        limit = RowLimit(descending ? range.lower : range.upper)
    }

    /// Passes the groups to `body` until it returns false.
    mutating func forEach(_ body: (ReducedGroup) throws -> Bool) throws {
        // Reading starts again after the blocks that were taken from summaries.
        var goesOn = true
        while goesOn {
            goesOn = false
            try transaction.orderedRows(walk.tree.index, in: rest, descending: descending) {
                (row) throws(StorageError) in
                switch try take(row, body) {
                case .next: return true
                case .jump: goesOn = !isExhausted
                case .stop: break
                }
                return false
            }
            if failure == nil { failure = run.failure }
            if let failure { throw failure }
            if isDone { return }
        }
        _ = try end(body)
    }

    private enum Step {
        case next
        /// Continue elsewhere, with the rest of the range.
        case jump
        case stop
    }

    private mutating func take(
        _ row: borrowing IndexRowView,
        _ body: (ReducedGroup) throws -> Bool
    ) throws(StorageError) -> Step {
        let wasFirst = isFirst
        let wasBehindBlock = isBehindBlock
        isFirst = false
        isBehindBlock = false
        if group?.contains(row) != true {
            guard begin(at: row, body) else { return .stop }
        }
        guard usesSummaries else { return run.add(row) ? .next : .stop }
        if wasFirst, let edge = firstEdge, try follow(from: edge) { return .jump }
        let isWorthIt = walk.grouping == .none || run.rowCount >= GroupPass.smallGroup
        guard isWorthIt, RowOrderKey.level(of: row) > 0 else { return run.add(row) ? .next : .stop }
        if descending {
            // In a descending walk, the preceding block ends at this row.
            guard run.add(row) else { return .stop }
            return try follow(from: .before(RowOrderKey(row))) ? .jump : .next
        }
        if !wasBehindBlock, try follow(from: .before(RowOrderKey(row))) { return .jump }
        return run.add(row) ? .next : .stop
    }

    /// The first or last edge of all rows, if the range begins there.
    private var firstEdge: BlockEdge? {
        if descending { return rest.upper == .open ? .end : nil }
        return rest.lower == .open ? .start : nil
    }

    /// Passes on the group that has ended, and begins the group of a row. Returns false to stop.
    private mutating func begin(at row: borrowing IndexRowView, _ body: (ReducedGroup) throws -> Bool) -> Bool {
        do {
            guard try end(body) else {
                isDone = true
                return false
            }
        } catch {
            failure = error
            return false
        }
        group = GroupBounds(of: row, walk.grouping, descending: descending)
        return true
    }

    /// Passes on the group that has ended, if there is one. Returns false to stop.
    private func end(_ body: (ReducedGroup) throws -> Bool) throws -> Bool {
        guard let group else { return true }
        let part = try run.finish().get()
        let value = try part.value()
        return try body(ReducedGroup(keyJSON: group.keyJSON, value: value, rowCount: part.rowCount, end: group.end))
    }
}

extension GroupPass {
    /// Adds the summaries of consecutive blocks, starting from an edge in the direction of the walk, as far as they are
    /// stored and lie within the range and the group.
    ///
    /// - Returns: whether there were any; `rest` is then what remains of the range.
    private mutating func follow(from first: BlockEdge) throws(StorageError) -> Bool {
        guard let group else { return false }
        var edge = first
        var level = edge.level
        while level > 0 {
            let before = level
            try follow(at: &level, from: &edge, in: group)
            if edge == (descending ? .start : .end) {
                isExhausted = true
                return true
            }
            if level == before { level -= 1 }
        }
        guard edge != first, case .before(let place) = edge else { return false }
        if descending {
            rest.upper = .excluding(place.position)
        } else {
            rest.lower = .including(place.position)
        }
        isBehindBlock = true
        return true
    }

    /// Adds consecutive summaries of one level, up to an edge of a higher level, to which it then sets `level`.
    private func follow(
        at level: inout Int,
        from edge: inout BlockEdge,
        in group: GroupBounds
    ) throws(StorageError) {
        let keys =
            descending
            ? ReductionTree.keys(level: level, upTo: edge, included: false)
            : ReductionTree.keys(level: level, from: edge)
        let present = level
        try transaction.orderedEntries(walk.tree.index, in: keys, descending: descending) {
            (key, value) throws(StorageError) in
            var offset = 0
            let other = BlockSummary.otherEdge(key: key, value: value, from: edge, endsThere: descending, &offset)
            // Ignore a damaged summary that leads backwards.
            guard let other, descending ? other.isBefore(edge) : edge.isBefore(other) else { return false }
            guard isWithin(other, group), let part = walk.tree.part(value, from: &offset) else { return false }
            run.add(part)
            edge = other
            guard case .before(let place) = other else { return false }
            level = max(present, place.level)
            return level == present
        }
    }

    /// Returns whether a block lies within the range and the group with all its rows, if its near edge does. `edge` is
    /// its far edge.
    private func isWithin(_ edge: BlockEdge, _ group: GroupBounds) -> Bool {
        if let limit, !limit.holds(blockTo: edge, descending: descending) { return false }
        if let limit = group.limit, !limit.holds(blockTo: edge, descending: descending) { return false }
        return true
    }
}
