/// A cursor in a tree of a snapshot. The entries that it finds must be in order, so every walk ends, whatever the pages
/// contain.
@safe
struct MappedCursor {
    /// The current entry; empty before the first move.
    private(set) var entry = MappedEntry()

    private let space: PageSpace
    private let root: TreeRoot
    private let isOrdered: Bool
    private var readAhead = ReadAhead()
    /// The way from the root: `root.depth` steps.
    private let path: UnsafeMutablePointer<Step>

    @safe
    private struct Step {
        var page: MappedPage
        var index: Int
    }

    /// Allocates memory, which `deallocate` frees.
    ///
    /// - Parameter isOrdered: Whether keys are in `memcmp` order; those of the free list are numbers.
    init(_ root: TreeRoot, _ space: PageSpace, isOrdered: Bool = true) {
        self.root = root
        self.isOrdered = isOrdered
        self.space = space
        unsafe path = .allocate(capacity: max(1, root.depth))
    }

    func deallocate() { unsafe path.deallocate() }

    // MARK: Moving

    /// Moves to the first entry. Returns false if there is none.
    mutating func seekFirst() throws(PageDamage) -> Bool {
        guard root.depth > 0 else { return false }
        try descend(0, root.page, toLast: false)
        unsafe entry = try present()
        return true
    }

    /// Moves to the last entry. Returns false if there is none.
    mutating func seekLast() throws(PageDamage) -> Bool {
        guard root.depth > 0 else { return false }
        try descend(0, root.page, toLast: true)
        unsafe entry = try present()
        return true
    }

    /// Moves to the first entry whose key is `key` or above.
    mutating func seek(atOrAfter key: UnsafeRawBufferPointer) throws(PageDamage) -> Bool {
        guard root.depth > 0 else { return false }
        unsafe try descend(towards: key)
        let leaf = unsafe path + (root.depth - 1)
        guard unsafe leaf.pointee.index == leaf.pointee.page.count else {
            unsafe entry = try present()
            return true
        }
        guard try enterNextLeaf() else { return false }
        unsafe entry = try present()
        guard unsafe compare(entry.key, key) >= 0 else { throw disorder }
        return true
    }

    /// Moves to the last entry whose key is below `key`.
    mutating func seek(before key: UnsafeRawBufferPointer) throws(PageDamage) -> Bool {
        guard root.depth > 0 else { return false }
        unsafe try descend(towards: key)
        let leaf = unsafe path + (root.depth - 1)
        if unsafe leaf.pointee.index > 0 {
            unsafe leaf.pointee.index -= 1
        } else {
            guard try enterPreviousLeaf() else { return false }
        }
        unsafe entry = try present()
        guard unsafe compare(entry.key, key) < 0 else { throw disorder }
        return true
    }

    /// Moves from an entry to the next one. Returns false at the end.
    @inline(__always)
    mutating func next() throws(PageDamage) -> Bool {
        let leaf = unsafe path + (root.depth - 1)
        let index = unsafe leaf.pointee.index + 1
        if unsafe index < leaf.pointee.page.count {
            unsafe leaf.pointee.index = index
        } else {
            guard try enterNextLeaf() else { return false }
        }
        let last = unsafe entry.key
        unsafe entry = try present()
        guard unsafe compare(last, entry.key) < 0 || !isOrdered else { throw disorder }
        return true
    }

    /// Moves from an entry to the previous one. Returns false at the beginning.
    @inline(__always)
    mutating func previous() throws(PageDamage) -> Bool {
        let leaf = unsafe path + (root.depth - 1)
        if unsafe leaf.pointee.index > 0 {
            unsafe leaf.pointee.index -= 1
        } else {
            guard try enterPreviousLeaf() else { return false }
        }
        let last = unsafe entry.key
        unsafe entry = try present()
        guard unsafe compare(last, entry.key) > 0 || !isOrdered else { throw disorder }
        return true
    }

    /// Sets an entry that was found by other means.
    mutating func note(_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) {
        unsafe entry = MappedEntry(key: key, value: value)
    }

    // MARK: The way

    @inline(__always)
    @unsafe
    private func present() throws(PageDamage) -> MappedEntry {
        let leaf = unsafe path + (root.depth - 1)
        return unsafe try leaf.pointee.page.entry(leaf.pointee.index, space)
    }

    private func descend(_ level: Int, _ number: UInt64, toLast: Bool) throws(PageDamage) {
        var number = number
        for level in level..<root.depth {
            let isLeaf = level == root.depth - 1
            let page = try space.page(number, isLeaf: isLeaf)
            let index = toLast ? page.count - 1 : 0
            unsafe path[level] = Step(page: page, index: index)
            if !isLeaf { number = try page.child(index) }
        }
    }

    /// Moves to where `key` is or would be. The index may be the one after the leaf's last entry.
    private func descend(towards key: UnsafeRawBufferPointer) throws(PageDamage) {
        var number = root.page
        for level in 0..<root.depth - 1 {
            let page = try space.page(number, isLeaf: false)
            let index = unsafe try page.branch(to: key)
            unsafe path[level] = Step(page: page, index: index)
            number = try page.child(index)
        }
        let leaf = try space.page(number, isLeaf: true)
        unsafe path[root.depth - 1] = Step(page: leaf, index: try leaf.lowerBound(key, from: 0).index)
    }

    @inline(never)
    private mutating func enterNextLeaf() throws(PageDamage) -> Bool {
        var level = root.depth - 2
        while level >= 0 {
            let index = unsafe path[level].index + 1
            if unsafe index < path[level].page.count {
                unsafe path[level].index = index
                unsafe try descend(level + 1, path[level].page.child(index), toLast: false)
                if space.needsReadAhead, let pages = unsafe readAhead.pages(after: path[root.depth - 1].page.number) {
                    space.willRead(pages)
                }
                return true
            }
            level -= 1
        }
        return false
    }

    @inline(never)
    private func enterPreviousLeaf() throws(PageDamage) -> Bool {
        var level = root.depth - 2
        while level >= 0 {
            if unsafe path[level].index > 0 {
                unsafe path[level].index -= 1
                unsafe try descend(level + 1, path[level].page.child(path[level].index), toLast: true)
                return true
            }
            level -= 1
        }
        return false
    }

    private var disorder: PageDamage { unsafe PageDamage(.order, path[root.depth - 1].page.number) }
}
