internal import StorageProtocol

/// Checks a file before LMDB touches it: its length, both meta pages, the main tree, the root of every table, and the
/// beginning of the free list.
///
/// Others may write at the same time. Apparent damage is checked again if there was a commit in between.
enum QuickCheck {
    /// The number of reads for the free list and for the main tree. A longer one is left to the walk.
    private static let readings = 64
    private static let attempts = 50

    /// - Parameters:
    ///   - path: The data file.
    ///   - usesReaders: Whether the reader table may be read. No environment of this process may have it open.
    /// - Throws: `corrupt` (591) with the first problem; `unsupportedFormat` (591); `notFound` (404), `readOnly` (403),
    ///   `fileSystem` (498), `storage` (590) if the file cannot be read; `busy` (595) if others commit so fast that
    ///   there was no result.
    /// - Complexity: O(1); some dozens of small reads. If the counts leave it open whether all pages are in the file,
    ///   all pages are walked.
    static func run(path: String, usesReaders: Bool = true) throws(StorageError) {
        try settled(path) { (file) throws(PageFault) in
            try check(file) { LastCommit(beside: path, usesReaders: usesReaders).transaction }
        }
    }

    /// - Parameters:
    ///   - toleratingDamage: Whether only snapshots are to be read, which check what they read.
    ///   - usesReaders: As in `run`.
    ///   - isSound: Set if nothing is wrong.
    /// - Throws: As `run`.
    static func run(
        _ path: String,
        toleratingDamage: Bool,
        usesReaders: Bool,
        isSound: inout Bool
    ) throws(StorageError) {
        do throws(StorageError) {
            try run(path: path, usesReaders: usesReaders)
            isSound = true
        } catch {
            guard toleratingDamage, error.code == .corrupt else { throw error }
            try runForSnapshots(path: path)
        }
    }

    /// Checks only what LMDB reads when it opens a file whose entries it will not read: the meta pages and the main
    /// tree.
    ///
    /// - Throws: As `run`.
    private static func runForSnapshots(path: String) throws(StorageError) {
        try settled(path) { (file) throws(PageFault) in
            var walk = try PageWalk(file, MetaPages(file).newest)
            guard walk.filePages >= 2 else { throw .damage("it is cut off within its first two pages") }
            try walk.walk(walk.meta.main, .main)
            try refuse(walk)
        }
    }

    private static func settled(
        _ path: String,
        _ check: (PageFile) throws(PageFault) -> Void
    ) throws(StorageError) {
        do throws(PageFault) {
            let file = try PageFile(path: path)
            try Snapshots.settled(file, attempts: attempts) { () throws(PageFault) in try check(file) }
        } catch {
            throw error.storageError
        }
    }

    private static func check(_ file: PageFile, _ lastCommit: () -> UInt64?) throws(PageFault) {
        let metas = try MetaPages(file)
        let meta = metas.newest
        var walk = try PageWalk(file, meta, readings: readings)
        guard walk.filePages >= 2 else { throw .damage("it is cut off within its first two pages") }
        let isShort = meta.lastPage >= walk.filePages
        if isShort { walk.readings = .max }
        let isFreeListKnown = try walk.walk(meta.freeList, .freeList)
        walk.readings = readings
        let isMainKnown = try walk.walk(meta.main, .main)
        for table in walk.tables.prefix(readings) {
            try walk.checkRoot(table.record, .table(table.name))
        }
        try refuse(walk)
        try checkOrder(metas, file, lastCommit)
        let isCountKnown = isFreeListKnown && isMainKnown
        let isDoubtful = isShort ? !isCountKnown || !isTailFree(walk) : isCountKnown && !fits(walk)
        guard isDoubtful else { return }
        var whole = try PageWalk(file, meta)
        try whole.walkAll()
        try refuse(whole)
    }

    private static func refuse(_ walk: PageWalk) throws(PageFault) {
        if let problem = walk.problems.first { throw .damage(problem.message) }
    }

    /// Whether all pages that are missing from the file are free. A page that is taken and freed in one transaction is
    /// never written, and may be the file's last.
    private static func isTailFree(_ walk: PageWalk) -> Bool {
        walk.freePagesBeyondFile == walk.meta.lastPage + 1 - walk.filePages && fits(walk)
    }

    /// Whether the file has room for all pages that are counted as in use or free.
    private static func fits(_ walk: PageWalk) -> Bool {
        var total = walk.freePages
        for record in walk.tables.map(\.record) + [walk.meta.main, walk.meta.freeList] {
            guard let sum = checkedSum(total, record.pages ?? .max), sum <= walk.meta.lastPage - 1 else { return false }
            total = sum
        }
        return true
    }

    /// Detects a flipped bit that makes the older meta page look newer. A transaction records the pages that it frees
    /// under its own number, and the next one cannot use them. So the free list of the later snapshot extends at least
    /// as far, and no free list extends beyond its own transaction.
    ///
    /// A commit that failed at its meta page leaves a similar one: the new roots under the old number.
    private static func checkOrder(
        _ metas: MetaPages,
        _ file: PageFile,
        _ lastCommit: () -> UInt64?
    ) throws(PageFault) {
        let (older, newest) = (metas.older, metas.newest)
        guard let freed = try older.lastFreed(file), freed >= older.transaction else { return }
        let newestFreed = try newest.lastFreed(file) ?? 0
        if freed <= newest.transaction, newestFreed >= freed { return }
        // The number of the last page was restored too: that of an acknowledged commit is no lower than that of the
        // previous one.
        if freed == newest.transaction + 1, older.lastPage < newest.lastPage { return }
        guard lastCommit() == newest.transaction else {
            throw .damage(
                "the older meta page, of transaction \(older.transaction), looks like the newer one, and nothing tells "
                    + "that \(newest.transaction) was the last commit"
            )
        }
    }
}
