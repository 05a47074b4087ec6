internal import StorageProtocol

/// Reads the trees of one snapshot page by page, checks every offset before it is followed, and visits each page at
/// most once. Whatever the bytes are, it ends and does not trap.
///
/// Memory: a bit for each page, and one path of pages.
struct PageWalk {
    /// The maximum number of problems that are kept.
    static let maximumProblems = 100

    let file: PageFile
    let meta: MetaPage
    /// The number of whole pages in the file. Pages that LMDB has never written may be beyond its end.
    let filePages: UInt64

    /// Damage because of which LMDB must not use the file.
    private(set) var problems: [StorageProblem] = []
    /// Wrong counts, which LMDB hardly uses.
    private(set) var notes: [StorageProblem] = []
    /// The pages that a tree or the free list has named.
    var seen = PageSet()
    /// How many pages the free list names, and how many of them are missing from the file.
    var freePages: UInt64 = 0
    var freePagesBeyondFile: UInt64 = 0
    /// The named databases, as listed in the main tree.
    var tables: [(name: String, record: TreeRecord)] = []
    /// How many more reads are allowed.
    var readings: Int

    init(_ file: PageFile, _ meta: MetaPage, readings: Int = .max) throws(PageFault) {
        self.file = file
        self.meta = meta
        self.readings = readings
        filePages = try file.size() / UInt64(meta.pageSize)
    }

    /// Whether so many problems were found that the walk stops.
    var isFull: Bool { problems.count >= Self.maximumProblems }

    mutating func report(_ what: String) {
        guard !isFull else { return }
        problems.append(StorageProblem(area: "pages", message: what))
    }

    mutating func note(_ what: String) {
        guard notes.count < Self.maximumProblems else { return }
        notes.append(StorageProblem(area: "page counts", message: what))
    }

    /// Walks everything. The results are in `problems` and `notes`.
    ///
    /// - Throws: Only `failure`.
    /// - Complexity: O(pages of the file).
    mutating func walkAll() throws(PageFault) {
        try walk(meta.freeList, .freeList)
        try walk(meta.main, .main)
        for table in tables where !isFull {
            try walk(table.record, .table(table.name))
        }
        guard problems.isEmpty else { return }
        let named = (meta.freeList.pages ?? 0) &+ (meta.main.pages ?? 0)
        let used = tables.reduce(named) { $0 &+ ($1.record.pages ?? 0) }
        let expected = meta.lastPage - 1
        guard used &+ freePages == expected else {
            return note("\(used) pages are in use and \(freePages) free, which does not make \(expected)")
        }
    }

    /// Marks a page as belonging to a tree. If that is impossible, adds a problem and returns false.
    mutating func claim(_ page: UInt64, _ tree: Tree) -> Bool {
        guard page >= 2, page <= meta.lastPage else {
            report("\(tree) names page \(page), which does not exist")
            return false
        }
        guard page < filePages else {
            report("\(tree) names page \(page), but the file was cut off after \(filePages) pages")
            return false
        }
        guard seen.insert(page) else {
            report("\(tree) names page \(page), which is in use elsewhere, or free")
            return false
        }
        return true
    }

    /// Counts a read. Returns false when there have been enough.
    mutating func mayRead() -> Bool {
        guard readings > 0 else { return false }
        readings -= 1
        return true
    }
}

extension PageWalk {
    /// A tree of the file.
    enum Tree: CustomStringConvertible {
        case freeList
        case main
        case table(String)

        var description: String {
            switch self {
            case .freeList: "the free list"
            case .main: "the main tree"
            case .table(let name): "the table '\(name)'"
            }
        }

        /// LMDB allows a branch page of the free list to have a single child.
        var fewestChildren: Int {
            if case .freeList = self { 1 } else { 2 }
        }
    }
}
