extension PageWalk {
    /// A page on the way down, with the keys that bound its own.
    private struct Level {
        var page: NodePage
        var next = 0
        var lower: [UInt8]
        var upper: [UInt8]?
    }

    /// What was counted in a tree.
    struct Tally {
        var branchPages: UInt64 = 0
        var leafPages: UInt64 = 0
        var overflowPages: UInt64 = 0
        var entries: UInt64 = 0
        /// Whether the whole tree could be read.
        var isWhole = true
    }

    /// Walks a tree and compares what it contains with its record.
    ///
    /// - Returns: False if it was not walked to its end: `readings` were used up, or there were too many problems.
    @discardableResult
    mutating func walk(_ record: TreeRecord, _ tree: Tree) throws(PageFault) -> Bool {
        if let problem = record.problem(lastPage: meta.lastPage, pageSize: meta.pageSize) {
            report("\(tree) \(problem)")
            return true
        }
        guard !record.isEmpty else { return true }
        var tally = Tally()
        var path: [Level] = []
        try descend(to: record.root, record, tree, lower: [], upper: nil, &path, &tally)
        while let last = path.indices.last {
            guard !isFull, readings > 0 else { return false }
            let index = path[last].next
            guard index < path[last].page.count else {
                path.removeLast()
                continue
            }
            path[last].next += 1
            let level = path[last]
            let lower = index == 0 ? level.lower : ordered(level.page.key(index), tree)
            let upper = index + 1 < level.page.count ? ordered(level.page.key(index + 1), tree) : level.upper
            try descend(to: level.page.child(index), record, tree, lower: lower, upper: upper, &path, &tally)
        }
        guard !isFull, readings > 0 else { return false }
        if tally.isWhole { compare(tally, record, tree) }
        return true
    }

    /// Reads a page of the tree. A branch is added to the path; a leaf is checked at once.
    private mutating func descend(
        to number: UInt64,
        _ record: TreeRecord,
        _ tree: Tree,
        lower: [UInt8],
        upper: [UInt8]?,
        _ path: inout [Level],
        _ tally: inout Tally
    ) throws(PageFault) {
        guard mayRead() else { return }
        guard claim(number, tree), let page = try readPage(number, tree) else {
            tally.isWhole = false
            return
        }
        let isBottom = path.count + 1 == Int(record.depth)
        guard page.isLeaf == isBottom, page.isLeaf || page.count >= tree.fewestChildren else {
            report("\(tree): page \(number) is not of the kind that its depth asks for")
            tally.isWhole = false
            return
        }
        if !keysAreInOrder(page, tree, lower: lower, upper: upper) {
            report("\(tree): the keys of page \(number) are out of order")
        }
        if page.isLeaf {
            tally.leafPages += 1
            tally.entries += UInt64(page.count)
            try checkValues(of: page, tree, &tally)
        } else {
            tally.branchPages += 1
            path.append(Level(page: page, lower: lower, upper: upper))
        }
    }

    private mutating func readPage(_ number: UInt64, _ tree: Tree) throws(PageFault) -> NodePage? {
        do throws(PageFault) {
            return try NodePage(file, number, pageSize: meta.pageSize)
        } catch {
            guard case .damage(let what) = error else { throw error }
            report("\(tree): \(what)")
            return nil
        }
    }

    /// LMDB ignores the first key of a branch page: it stands for everything lower.
    private func keysAreInOrder(_ page: NodePage, _ tree: Tree, lower: [UInt8], upper: [UInt8]?) -> Bool {
        let first = page.isLeaf ? 0 : 1
        guard first < page.count else { return true }
        if case .freeList = tree {
            guard (first..<page.count).allSatisfy({ page.key($0).count == 8 }) else { return false }
            var previous = lower
            for index in first..<page.count {
                let key = ordered(page.key(index), tree)
                guard
                    index == first ? !key.lexicographicallyPrecedes(previous) : previous.lexicographicallyPrecedes(key)
                else { return false }
                previous = key
            }
            return upper.map { previous.lexicographicallyPrecedes($0) } ?? true
        }
        for index in first..<page.count where index > first {
            guard page.isAscending(index) else { return false }
        }
        guard !page.key(first).lexicographicallyPrecedes(lower) else { return false }
        return upper.map { page.key(page.count - 1).lexicographicallyPrecedes($0) } ?? true
    }

    /// Returns a key in a form that sorts by `memcmp`. The keys of the free list are numbers.
    private func ordered(_ key: ArraySlice<UInt8>, _ tree: Tree) -> [UInt8] {
        if case .freeList = tree { key.reversed() } else { Array(key) }
    }

    private mutating func compare(_ tally: Tally, _ record: TreeRecord, _ tree: Tree) {
        if tally.entries != record.entries {
            report("\(tree) counts \(record.entries) entries and has \(tally.entries)")
        }
        for (what, found, expected) in [
            ("branch", tally.branchPages, record.branchPages),
            ("leaf", tally.leafPages, record.leafPages),
            ("overflow", tally.overflowPages, record.overflowPages),
        ] where found != expected {
            note("\(tree) counts \(expected) \(what) pages and has \(found)")
        }
    }
}
