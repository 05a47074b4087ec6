internal import StorageProtocol

/// One pass over a range of an index: reads rows, puts stored summaries in the place of blocks where they lie within the
/// range and the group, and hands out each group when it ends.
final class GroupPass {
    private let walk: GroupWalk
    /// The whole range, and the rest of it.
    private let range: IndexRange
    private var rest: IndexRange
    private let usesSummaries: Bool
    private let transaction: any IndexReader
    private let run: ReductionRun
    private var group: GroupBounds?
    /// What the reduction or the caller's closure threw.
    private var failure: (any Error)?
    /// Whether nothing more is wanted.
    private var isDone = false
    /// Whether the last block reached to the last row.
    private var isExhausted = false

    init(walk: GroupWalk, range: IndexRange, usesSummaries: Bool, transaction: any IndexReader) {
        self.walk = walk
        self.range = range
        rest = range
        self.usesSummaries = usesSummaries
        self.transaction = transaction
        run = ReductionRun(walk.tree.reduce)
    }

    /// Hands the groups to `body` until it returns false.
    func forEach(_ body: (ReducedGroup) throws -> Bool) throws {
        var isFirst = true
        // A reader goes on behind the blocks that were taken from summaries.
        var goesOn = true
        while goesOn {
            goesOn = false
            // The first row behind a block was tried already.
            var wasTried = !isFirst && !walk.descending
            try transaction.indexRows(walk.tree.index, in: rest, descending: walk.descending) {
                (row) throws(StorageError) in
                if group?.contains(row) != true {
                    guard begin(at: row, body) else { return false }
                    wasTried = false
                }
                var edge: BlockEdge?
                if usesSummaries {
                    if isFirst {
                        edge = firstEdge
                    } else if !walk.descending, !wasTried, RowPlace.level(of: row) > 0 {
                        edge = .before(RowPlace(row))
                    }
                }
                isFirst = false
                wasTried = false
                if let from = edge, try follow(from: from) {
                    goesOn = true
                    return false
                }
                guard run.add(row) else { return false }
                if usesSummaries, walk.descending, RowPlace.level(of: row) > 0,
                    try follow(from: .before(RowPlace(row)))
                {
                    goesOn = true
                    return false
                }
                return true
            }
            if failure == nil { failure = run.failure }
            if let failure { throw failure }
            if isDone { return }
            if isExhausted { break }
        }
        _ = try end(body)
    }

    /// The edge of all rows, where the range begins there.
    private var firstEdge: BlockEdge? {
        if walk.descending { return range.upper == .open ? .end : nil }
        return range.lower == .open ? .start : nil
    }

    /// Hands out the group that has ended, and begins the one that a row belongs to. False: nothing more is wanted.
    private func begin(at row: borrowing IndexRowView, _ body: (ReducedGroup) throws -> Bool) -> Bool {
        do {
            guard try end(body) else {
                isDone = true
                return false
            }
        } catch {
            failure = error
            return false
        }
        group = GroupBounds(of: row, walk.grouping)
        return true
    }

    /// Hands out the group that has ended, if there is one. False: nothing more is wanted.
    private func end(_ body: (ReducedGroup) throws -> Bool) throws -> Bool {
        guard let group else { return true }
        let part = try run.finish().get()
        let value = try part.value(by: walk.tree.reduce)
        return try body(ReducedGroup(keyJSON: group.keyJSON, value: value, rowCount: part.rowCount, range: group.range))
    }
}

extension GroupPass {
    /// Adds the summaries of as many blocks as there are from an edge on, in the direction of the walk, as far as they lie
    /// within the range and the group.
    ///
    /// - Returns: whether there was any; `rest` is then what is left of the range.
    private func follow(from first: BlockEdge) throws(StorageError) -> Bool {
        var edge = first
        var level = edge.level
        while level > 0 {
            let before = level
            try follow(at: &level, from: &edge)
            if edge == (walk.descending ? .start : .end) {
                isExhausted = true
                return true
            }
            if level == before { level -= 1 }
        }
        guard edge != first, case .before(let place) = edge else { return false }
        if walk.descending {
            rest.upper = .excluding(place.position)
        } else {
            rest.lower = .including(place.position)
        }
        return true
    }

    /// Adds the summaries of one level that follow each other, up to an edge of a higher one, whose level is then `level`.
    private func follow(at level: inout Int, from edge: inout BlockEdge) throws(StorageError) {
        let descending = walk.descending
        let keys =
            descending
            ? ReductionTree.keys(level: level, upTo: edge, included: false)
            : ReductionTree.keys(level: level, from: edge)
        let present = level
        try transaction.indexSummaries(walk.tree.index, in: keys, descending: descending) {
            (key, value) throws(StorageError) in
            guard let block = BlockSummary.edges(key: key, value: value),
                descending ? block.end == edge : block.start == edge,
                isWithin(descending ? block.start : block.end),
                let summary = BlockSummary(value, by: walk.tree.reduce)
            else { return false }
            run.add(summary.part)
            edge = descending ? block.start : block.end
            if edge == .start || edge == .end { return false }
            level = max(present, edge.level)
            return level == present
        }
    }

    /// Whether a block whose other edge is within lies within the range and the group with all its rows.
    private func isWithin(_ edge: BlockEdge) -> Bool {
        guard let group else { return false }
        if walk.descending { return range.holds(blockFrom: edge) && group.range.holds(blockFrom: edge) }
        return range.holds(blockUpTo: edge) && group.range.holds(blockUpTo: edge)
    }
}
