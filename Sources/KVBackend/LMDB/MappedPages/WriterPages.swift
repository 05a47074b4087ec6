internal import StorageProtocol

/// Checks the pages that a call of LMDB is about to read or change, in the snapshot with which the write transaction
/// began. What LMDB has changed since is in its own memory and was made from checked pages, so no unchecked page
/// reaches it.
///
/// Used only by the thread that writes.
@safe
final class WriterPages {
    let pages: SnapshotPages
    private var sound = SoundPages()
    private var isFreeListSound = false
    /// Indexed by the numbers of `Table`: the leaf that was checked last.
    private let leaves: UnsafeMutablePointer<Leaf>

    /// A leaf page, all pages above it, and the keys that bound it.
    @safe
    private struct Leaf {
        /// Nil: the tree is empty.
        var page: MappedPage?
        var lower: UnsafeRawBufferPointer?
        var upper: UnsafeRawBufferPointer?
        var isKnown = false
        /// Whether the pages beside it have been checked, and those beside the pages above.
        var hasNeighbours = false

        @inline(__always)
        func holds(_ key: UnsafeRawBufferPointer) -> Bool {
            guard isKnown else { return false }
            if let lower = unsafe lower, unsafe compare(key, lower) < 0 { return false }
            guard let upper = unsafe upper else { return true }
            return unsafe compare(key, upper) < 0
        }
    }

    init(_ map: PageMap) {
        pages = SnapshotPages(map)
        unsafe leaves = .allocate(capacity: Table.allCases.count)
    }

    deinit { unsafe leaves.deallocate() }

    /// Begins a write transaction on the snapshot `number`.
    ///
    /// - Parameter path: The data file, whose list of free pages is walked once.
    /// - Throws: `corrupt` (591); errors of reading.
    func begin(
        _ number: UInt64,
        path: String,
        larger: (UInt64) throws(StorageError) -> PageMap
    ) throws(StorageError) {
        guard try pages.begin(number, larger: larger) else { throw PageDamage(.metaPage, number & 1).storageError }
        for table in 0..<Table.allCases.count { unsafe (leaves + table).initialize(to: Leaf()) }
        guard !isFreeListSound else { return }
        try DamageCheck.requireSoundFreeList(path: path, transaction: number)
        isFreeListSound = true
    }

    // MARK: Before LMDB's calls

    /// Called before the entry of `key` is looked up, or inserted if there is none.
    @inline(__always)
    func admit(_ key: UnsafeRawBufferPointer, in table: Table) throws(PageDamage) {
        if unsafe !leaves[table.rawValue].holds(key) { unsafe try descend(to: key, in: table, withNeighbours: false) }
    }

    /// Called before the entry of `key` is replaced, which frees its overflow pages.
    @inline(__always)
    func admitChange(_ key: UnsafeRawBufferPointer, in table: Table) throws(PageDamage) {
        unsafe try admit(key, in: table)
        unsafe try checkValue(of: key, in: table)
    }

    /// Called before the entry of `key` is removed, which may move entries of the adjacent pages.
    func admitRemoval(_ key: UnsafeRawBufferPointer, in table: Table) throws(PageDamage) {
        unsafe try admitMove(from: key, in: table)
        unsafe try checkValue(of: key, in: table)
    }

    /// Called before a cursor moves to `key`, or from there to a neighbour.
    @inline(__always)
    func admitMove(from key: UnsafeRawBufferPointer, in table: Table) throws(PageDamage) {
        let leaf = unsafe leaves + table.rawValue
        if unsafe !leaf.pointee.hasNeighbours || !leaf.pointee.holds(key) {
            unsafe try descend(to: key, in: table, withNeighbours: true)
        }
    }

    /// Called before a cursor moves to the first or last entry, or an entry is appended.
    @inline(__always)
    func admitEnd(of table: Table, isLast: Bool) throws(PageDamage) {
        let leaf = unsafe leaves + table.rawValue
        if unsafe leaf.pointee.isKnown, unsafe (isLast ? leaf.pointee.upper : leaf.pointee.lower) == nil { return }
        unsafe try descend(to: nil, isLast: isLast, in: table, withNeighbours: false)
    }

    /// Checks the overflow pages of an entry, if it has any.
    func checkValue(of key: UnsafeRawBufferPointer, in table: Table) throws(PageDamage) {
        guard let page = unsafe leaves[table.rawValue].page else { return }
        let (index, isEqual) = unsafe try page.lowerBound(key, from: 0)
        if isEqual { unsafe _ = try page.entry(index, pages.space) }
    }

    /// Whether a value of this length may have overflow pages that have not been checked.
    @inline(__always)
    func mayOverflow(_ length: Int) -> Bool { length > pages.space.pageSize / 2 }

    // MARK: The way down

    @inline(never)
    private func descend(
        to key: UnsafeRawBufferPointer?,
        isLast: Bool = false,
        in table: Table,
        withNeighbours: Bool
    ) throws(PageDamage) {
        var leaf = Leaf()
        let root = try root(table)
        if root.depth > 0 {
            var number = root.page
            var left: UInt64?
            var right: UInt64?
            for level in 1...root.depth {
                let isLeaf = level == root.depth
                let page = try soundPage(number, isLeaf: isLeaf)
                let leftPage = try soundPage(left, beside: number, isLeaf: isLeaf)
                let rightPage = try soundPage(right, beside: number, isLeaf: isLeaf)
                leaf.page = page
                if isLeaf { break }
                let index =
                    if let key = unsafe key { unsafe try page.branch(to: key) } else { isLast ? page.count - 1 : 0 }
                let isFirstChild = index == 0
                let isLastChild = index + 1 == page.count
                if withNeighbours {
                    left = isFirstChild ? try leftPage?.child(leftPage!.count - 1) : try page.child(index - 1)
                    right = isLastChild ? try rightPage?.child(0) : try page.child(index + 1)
                }
                if !isFirstChild { unsafe leaf.lower = try page.key(page.node(index)) }
                if !isLastChild { unsafe leaf.upper = try page.key(page.node(index + 1)) }
                number = try page.child(index)
            }
        }
        leaf.isKnown = true
        leaf.hasNeighbours = withNeighbours
        unsafe leaves[table.rawValue] = leaf
    }

    /// Returns the table's root. Commits write it to the main tree again.
    private func root(_ table: Table) throws(PageDamage) -> TreeRoot {
        guard !pages.isKnown(table) else { return try pages.root(table) }
        var number = pages.main.page
        guard pages.main.depth > 0 else { throw PageDamage(.record, number) }
        for level in 1...pages.main.depth {
            let page = try soundPage(number, isLeaf: level == pages.main.depth, of: .main)
            guard level < pages.main.depth else { break }
            number = try unsafe table.name.utf8.span.bytes.withUnsafeBytes { (name) throws(PageDamage) in
                unsafe try page.child(page.branch(to: name))
            }
        }
        return try pages.root(table)
    }

    private func soundPage(_ number: UInt64?, beside page: UInt64, isLeaf: Bool) throws(PageDamage) -> MappedPage? {
        guard let number else { return nil }
        guard number != page else { throw PageDamage(.order, number) }
        return try soundPage(number, isLeaf: isLeaf)
    }

    private func soundPage(
        _ number: UInt64,
        isLeaf: Bool,
        of tree: MappedPage.Tree = .table
    ) throws(PageDamage) -> MappedPage {
        let page = try pages.space.page(number, isLeaf: isLeaf)
        if !sound.contains(number) {
            guard isLeaf || page.count > 1 else { throw PageDamage(.header, number) }
            try page.checkEntries(pages.space, of: tree, isLeaf: isLeaf)
            sound.insert(number)
        }
        return page
    }
}
