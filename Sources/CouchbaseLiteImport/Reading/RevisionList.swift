internal import StorageProtocol

/// The revisions of an old database: 16 bytes for each, in the order of their documents.
struct RevisionList {
    struct Entry {
        var document: Int64
        var sequence: Int64
    }

    private(set) var entries: [Entry] = []
    /// Ranges of rows of the table `revs` that cannot be read.
    private(set) var lost: [ClosedRange<Int64>] = []
    /// The problems of the table.
    private(set) var problems: [String] = []
    /// The highest sequence that can be kept.
    private(set) var highest: UInt64 = 0

    /// Higher sequences would leave no room for those of later changes.
    static let maximumSequence: UInt64 = 1 << 62

    init(_ connection: SourceConnection) throws(StorageError) {
        var scan = TableScan(connection, table: "revs", columns: "doc_id")
        var found: [Entry] = []
        var top: UInt64 = 0
        try scan.run { (rowid, row) throws(StorageError) in
            found.append(Entry(document: row.integer(1) ?? 0, sequence: rowid))
            if let sequence = RevisionList.sequence(rowid) { top = max(top, sequence) }
        }
        found.sort { ($0.document, $0.sequence) < ($1.document, $1.sequence) }
        // A damaged table may list a row twice.
        if zip(found, found.dropFirst()).contains(where: { $0.sequence == $1.sequence }) {
            for entry in found where entries.last?.sequence != entry.sequence { entries.append(entry) }
        } else {
            entries = found
        }
        lost = scan.lost
        problems = scan.problems
        highest = top
    }

    /// Returns a rowid as a sequence; nil if it cannot be kept.
    static func sequence(_ rowid: Int64) -> UInt64? {
        guard let sequence = UInt64(exactly: rowid), 1...maximumSequence ~= sequence else { return nil }
        return sequence
    }

    /// Passes the range of each document's entries to `body`.
    func forEachDocument(_ body: (Int64, Range<Int>) throws(StorageError) -> Void) throws(StorageError) {
        var start = 0
        while start < entries.count {
            var end = start + 1
            while end < entries.count, entries[end].document == entries[start].document { end += 1 }
            try body(entries[start].document, start..<end)
            start = end
        }
    }

    /// Returns whether a document has a revision.
    func has(_ document: Int64) -> Bool {
        var low = 0
        var high = entries.count
        while low < high {
            let middle = (low + high) / 2
            if entries[middle].document < document { low = middle + 1 } else { high = middle }
        }
        return low < entries.count && entries[low].document == document
    }
}
