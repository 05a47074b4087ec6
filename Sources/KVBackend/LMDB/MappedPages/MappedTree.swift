/// The root of a tree of a snapshot.
struct TreeRoot {
    /// Meaningless if `depth` is 0: the tree is empty.
    var page: UInt64
    var depth: Int
    var entries: UInt64

    /// The root of a tree without pages.
    static let empty = TreeRoot(page: TreeRecord.noRoot, depth: 0)
    /// Stands for a root that has not been looked up yet.
    static let unknown = TreeRoot(page: TreeRecord.noRoot, depth: -1)

    private static let recordLength = TreeRecord.length

    private init(page: UInt64, depth: Int) {
        self.page = page
        self.depth = depth
        entries = 0
    }

    /// - Parameters:
    ///   - record: LMDB's `MDB_db`, 48 bytes.
    ///   - page: The page that contains it.
    init(_ record: UnsafeRawPointer, on page: UInt64) throws(PageDamage) {
        depth = Int(unsafe UInt16(littleEndian: record.loadUnaligned(fromByteOffset: 6, as: UInt16.self)))
        entries = unsafe UInt64(littleEndian: record.loadUnaligned(fromByteOffset: 32, as: UInt64.self))
        self.page = unsafe UInt64(littleEndian: record.loadUnaligned(fromByteOffset: 40, as: UInt64.self))
        guard depth <= Int(TreeRecord.maximumDepth), (self.page == TreeRecord.noRoot) == (depth == 0) else {
            throw PageDamage(.record, page)
        }
    }

    /// Returns the root of the table `name`, of which the tree must contain a record.
    func table(_ name: UnsafeRawBufferPointer, _ space: PageSpace) throws(PageDamage) -> TreeRoot {
        guard let (leaf, index) = unsafe try find(name, space) else { throw PageDamage(.record, page) }
        let node = try leaf.node(index)
        let header = unsafe UInt64(littleEndian: leaf.start.loadUnaligned(fromByteOffset: node, as: UInt64.self))
        let value = node + MappedPage.nodeHeaderLength + (try leaf.keyLength(node))
        guard header & 0xFFFF_FFFF == TreeRoot.recordLength, UInt16(truncatingIfNeeded: header >> 32) == NodeFlags.tree,
            value <= leaf.size - TreeRoot.recordLength,
            unsafe leaf.start.loadUnaligned(fromByteOffset: value + 4, as: UInt16.self) == 0
        else { throw PageDamage(.record, leaf.number) }
        return unsafe try TreeRoot(leaf.start + value, on: leaf.number)
    }

    /// Returns the value of `key`, or nil if there is none.
    @inline(__always)
    @unsafe
    func value(of key: UnsafeRawBufferPointer, _ space: PageSpace) throws(PageDamage) -> UnsafeRawBufferPointer? {
        guard let (leaf, index) = unsafe try find(key, space) else { return nil }
        return unsafe try leaf.entry(index, space).value
    }

    /// Returns the value of `key`, or nil if there is none.
    ///
    /// - Parameter place: Where the search for the previous key ended, which was not above `key`. A key in the same
    ///   leaf needs no way from the root.
    @inline(__always)
    @unsafe
    func value(
        of key: UnsafeRawBufferPointer,
        after place: inout LeafPlace?,
        _ space: PageSpace
    ) throws(PageDamage) -> UnsafeRawBufferPointer? {
        let leaf: MappedPage
        var low = 0
        if let place, unsafe compare(key, try place.leaf.key(place.leaf.node(place.leaf.count - 1))) <= 0 {
            (leaf, low) = (place.leaf, place.index)
        } else {
            guard depth > 0 else { return nil }
            leaf = unsafe try self.leaf(towards: key, space)
        }
        let (index, isEqual) = unsafe try leaf.lowerBound(key, from: low)
        place = leaf.count > 0 ? LeafPlace(leaf: leaf, index: index) : nil
        return unsafe isEqual ? try leaf.entry(index, space).value : nil
    }

    /// Returns the leaf page and the entry of `key`.
    @inline(__always)
    private func find(
        _ key: UnsafeRawBufferPointer,
        _ space: PageSpace
    ) throws(PageDamage) -> (leaf: MappedPage, index: Int)? {
        guard depth > 0 else { return nil }
        let leaf = unsafe try leaf(towards: key, space)
        let (index, isEqual) = unsafe try leaf.lowerBound(key, from: 0)
        return isEqual ? (leaf, index) : nil
    }

    /// Returns the leaf page where `key` is or would be. The tree is not empty.
    @inline(__always)
    private func leaf(towards key: UnsafeRawBufferPointer, _ space: PageSpace) throws(PageDamage) -> MappedPage {
        var number = page
        for _ in 1..<depth {
            let branch = try space.page(number, isLeaf: false)
            number = try branch.child(unsafe branch.branch(to: key))
        }
        return try space.page(number, isLeaf: true)
    }
}

/// Where a search in a tree has ended: a leaf with entries, and the place in it.
struct LeafPlace {
    let leaf: MappedPage
    let index: Int
}
