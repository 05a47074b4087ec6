internal import SetteeDocumentValues
internal import StorageProtocol

/// The numbers of an old database's revisions, in the order of their documents.
struct RevisionList {
    private let revisions: SortedPairs
    /// Ranges of rows of the table `revs` that cannot be read.
    private(set) var lost: [ClosedRange<Int64>] = []
    /// The problems of the table.
    private(set) var problems: [String] = []
    /// The highest sequence that can be kept.
    private(set) var highest: UInt64 = 0
    private(set) var documentCount = 0

    /// Higher sequences would leave no room for those of later changes.
    static let maximumSequence: UInt64 = 1 << 62

    init(_ connection: SourceConnection) throws(StorageError) {
        var scan = TableScan(connection, table: "revs", columns: "doc_id")
        let found = SortedPairs(in: connection.folder)
        var top: UInt64 = 0
        try scan.run { (rowid, row) throws(StorageError) in
            try found.add(row.integer(1) ?? 0, rowid)
            if let sequence = RevisionList.sequence(rowid) { top = max(top, sequence) }
        }
        revisions = found
        lost = scan.lost
        problems = scan.problems
        highest = top
        var count = 0
        try forEachDocument { (_, _) throws(StorageError) in count += 1 }
        documentCount = count
    }

    /// Returns a rowid as a sequence; nil if it cannot be kept.
    static func sequence(_ rowid: Int64) -> UInt64? {
        guard let sequence = UInt64(exactly: rowid), 1...maximumSequence ~= sequence else { return nil }
        return sequence
    }

    /// Passes each document's number and its revisions' numbers to `body`: of more revisions than a tree may have, one
    /// more than these.
    func forEachDocument(_ body: (Int64, [Int64]) throws(StorageError) -> Void) throws(StorageError) {
        var sorted = revisions.sorted()
        var document: Int64?
        var sequences: [Int64] = []
        // A damaged table may list a row twice.
        var previous: Int64?
        while let pair = try sorted.next() {
            if let document, document != pair.first {
                if !sequences.isEmpty { try body(document, sequences) }
                sequences.removeAll(keepingCapacity: true)
            }
            document = pair.first
            if pair.second != previous, sequences.count <= RevisionTree.maximumCount { sequences.append(pair.second) }
            previous = pair.second
        }
        if let document, !sequences.isEmpty { try body(document, sequences) }
    }

    /// Passes those of the documents that have no revision to `body`, in order.
    func forEach(
        of documents: SortedPairs,
        without body: (Int64) throws(StorageError) -> Void
    ) throws(StorageError) {
        try documents.forEach(notIn: revisions, body)
    }
}

extension SortedPairs {
    /// Passes first numbers that are in no pair of `others` to `body`, in order, each once.
    func forEach(notIn others: SortedPairs, _ body: (Int64) throws(StorageError) -> Void) throws(StorageError) {
        var own = sorted()
        var known = others.sorted()
        var other = try known.next()
        var last: Int64?
        while let pair = try own.next() {
            while let present = other, present.first < pair.first { other = try known.next() }
            if other?.first != pair.first, last != pair.first { try body(pair.first) }
            last = pair.first
        }
    }
}
