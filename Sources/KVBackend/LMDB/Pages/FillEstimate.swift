internal import StorageProtocol

/// An estimate, from a sample, of how full the leaf pages of a snapshot are, and so of what an ordered copy would save.
struct FillEstimate: Equatable {
    /// How full an ordered copy makes its leaf pages.
    static let packedFill = 0.95
    /// How many leaf pages are read.
    static let descents = 64

    /// The size of a page in bytes.
    var pageSize: UInt64
    /// The number of all pages of the file.
    var pages: UInt64
    /// The number of pages that hold nothing.
    var freePages: UInt64
    /// The number of leaf pages of the main tree and all tables.
    var leafPages: UInt64
    /// The average fill of the leaf pages, from 0 to 1. 1 if there are no leaf pages.
    var fill: Double

    /// How many bytes an ordered copy would save.
    var reclaimableBytes: UInt64 {
        let slack = max(0, 1 - fill / Self.packedFill) * Double(leafPages)
        return (freePages + UInt64(slack)) * pageSize
    }

    /// Returns the estimate for the snapshot of a read transaction.
    ///
    /// - Parameters:
    ///   - path: The data file.
    ///   - transaction: The number of the caller's read transaction, which must live until this returns.
    ///   - random: Chooses the pages.
    /// - Returns: Nil if the snapshot's meta page has already been overwritten: begin another transaction and call
    ///   again.
    /// - Throws: `corrupt` (591) if a page that is read is damaged, and errors of reading.
    /// - Complexity: 64 paths of pages, whatever the file's size.
    static func make(
        path: String,
        transaction: UInt64,
        using random: inout some RandomNumberGenerator
    ) throws(StorageError) -> FillEstimate? {
        do throws(PageFault) {
            let file = try PageFile(path: path)
            guard let meta = try MetaPage.of(transaction, file) else { return nil }
            return try FillEstimate(file, meta, using: &random)
        } catch {
            throw error.storageError
        }
    }

    private init(_ file: PageFile, _ meta: MetaPage, using random: inout some RandomNumberGenerator) throws(PageFault) {
        var walk = try PageWalk(file, meta)
        try walk.walk(meta.main, .main)
        for table in walk.tables {
            guard let problem = table.record.problem(lastPage: meta.lastPage, pageSize: meta.pageSize) else { continue }
            walk.report("the table '\(table.name)' \(problem)")
        }
        if let problem = walk.problems.first { throw .damage(problem.message) }
        let trees = [meta.main] + walk.tables.map(\.record)

        pageSize = UInt64(meta.pageSize)
        pages = meta.lastPage + 1
        // Each sum is at most 2^64, because it was compared with the last page, and there are fewer trees than pages.
        let used = trees.reduce(meta.freeList.pages ?? 0) { min($0 &+ ($1.pages ?? 0), meta.lastPage - 1) }
        freePages = meta.lastPage - 1 - used
        leafPages = min(trees.reduce(0) { $0 &+ $1.leafPages }, meta.lastPage - 1)
        fill = try Self.sample(trees, file, meta, walk.filePages, using: &random)
    }

    /// A descent chooses each child with the same probability, so a leaf with few siblings on its way is chosen more
    /// often than others. Its weight, the number of ways that the descent could have taken, compensates for that.
    private static func sample(
        _ trees: [TreeRecord],
        _ file: PageFile,
        _ meta: MetaPage,
        _ filePages: UInt64,
        using random: inout some RandomNumberGenerator
    ) throws(PageFault) -> Double {
        let leaves = trees.reduce(0) { $0 &+ $1.leafPages }
        guard leaves > 0 else { return 1 }
        var sum = 0.0
        var weights = 0.0
        for _ in 0..<descents {
            var place = UInt64.random(in: 0..<leaves, using: &random)
            for tree in trees {
                guard place >= tree.leafPages else {
                    let leaf = try descend(tree, file, meta, filePages, using: &random)
                    let weight = leaf.ways / Double(tree.leafPages)
                    sum += weight * leaf.fill
                    weights += weight
                    break
                }
                place -= tree.leafPages
            }
        }
        return weights > 0 ? sum / weights : 1
    }

    private static func descend(
        _ tree: TreeRecord,
        _ file: PageFile,
        _ meta: MetaPage,
        _ filePages: UInt64,
        using random: inout some RandomNumberGenerator
    ) throws(PageFault) -> (fill: Double, ways: Double) {
        var number = tree.root
        var ways = 1.0
        for level in 1...max(1, tree.depth) {
            guard number >= 2, number <= meta.lastPage, number < filePages else {
                throw .damage("a tree names page \(number), which does not exist")
            }
            let page = try NodePage(file, number, pageSize: meta.pageSize)
            guard page.isLeaf == (level == tree.depth) else {
                throw .damage("page \(number) is not of the kind that its depth asks for")
            }
            guard !page.isLeaf else { return (page.fill, ways) }
            ways *= Double(page.count)
            number = page.child(Int.random(in: 0..<page.count, using: &random))
        }
        throw .damage("a tree ends in a branch page")
    }
}
