/// The file's record of one tree: LMDB's `MDB_db`, 48 bytes.
struct TreeRecord: Equatable {
    static let length = 48
    /// The root of an empty tree.
    static let noRoot = UInt64.max
    /// LMDB's cursors hold a path of this many pages.
    static let maximumDepth: UInt16 = 32

    /// The page size in the record of the free list, else 0.
    var pad: UInt32
    var flags: UInt16
    var depth: UInt16
    var branchPages: UInt64
    var leafPages: UInt64
    var overflowPages: UInt64
    var entries: UInt64
    var root: UInt64

    /// - Parameter offset: The beginning of the record, which is within `bytes`.
    init(_ bytes: [UInt8], at offset: Int) {
        pad = bytes.u32(offset)
        flags = bytes.u16(offset + 4)
        depth = bytes.u16(offset + 6)
        branchPages = bytes.u64(offset + 8)
        leafPages = bytes.u64(offset + 16)
        overflowPages = bytes.u64(offset + 24)
        entries = bytes.u64(offset + 32)
        root = bytes.u64(offset + 40)
    }

    var isEmpty: Bool { root == Self.noRoot }

    /// The number of the tree's pages, nil if the sum overflows.
    var pages: UInt64? { checkedSum(branchPages, leafPages, overflowPages) }

    /// Returns what is impossible for a tree in a file of these pages.
    func problem(lastPage: UInt64, pageSize: Int) -> String? {
        if isEmpty {
            guard depth == 0, pages == 0, entries == 0 else { return "has pages or entries, but no root" }
            return nil
        }
        guard root >= 2, root <= lastPage else { return "has its root at page \(root), which does not exist" }
        guard depth >= 1, depth <= Self.maximumDepth else { return "has an impossible depth of \(depth)" }
        guard let pages, lastPage >= 1, pages <= lastPage - 1 else { return "counts more pages than the file has" }
        guard leafPages >= 1, depth > 1 || (leafPages == 1 && branchPages == 0), branchPages >= UInt64(depth) - 1
        else { return "counts \(branchPages) branch and \(leafPages) leaf pages at a depth of \(depth)" }
        // A page holds fewer entries than half its bytes, because each has an offset of two bytes.
        let (most, overflow) = leafPages.multipliedReportingOverflow(by: UInt64(pageSize) / 2)
        guard entries >= leafPages, overflow || entries <= most else {
            return "counts \(entries) entries in \(leafPages) leaf pages"
        }
        return nil
    }
}
