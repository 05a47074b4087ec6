internal import SetteeDocumentValues
internal import SetteeEngine
internal import SetteeExpressions
internal import SetteeIndexes
internal import StorageProtocol

/// The rows of a value index in memory, for one state of the database.
///
/// Where queries read all documents again and again for one field, and nothing is written between them, the third one
/// makes such an index, as SQLite does for a join. It is stored nowhere, and gone with the next commit.
struct TemporaryIndex: Sendable {
    /// In the order of keys and IDs.
    private let rows: [FindPosition]

    /// So many walks over all documents come before it.
    static let walks = 2
    /// So many fields have one at a time.
    static let most = 4
    /// Of a database with more documents none is made.
    static let mostDocuments: UInt64 = 100_000
    /// The most memory that it takes, about.
    private static let mostBytes = 16 << 20

    /// The name that the index has in plans.
    static let name = "_temporary"

    /// - Returns: nil if it would take too much memory.
    init?(
        _ index: ValueIndex,
        in transaction: any ReadTransaction,
        _ cancellation: Cancellation?
    ) throws(StorageError) {
        var maker = ValueIndexRowMaker(index)
        let places = PathPlaces(index.trie)
        var rows: [FindPosition] = []
        var bytes = 0
        let fields: RecordFields = index.readsRevisions ? [.winner, .body] : .body
        try transaction.orderedRecords(in: .all, descending: false, fields: fields) { (record) throws(StorageError) in
            if record.flags.contains(.deleted) || record.isOfDesign { return true }
            let id = record.withID { id in unsafe id.withUnsafeBytes { unsafe Array($0) } }
            try record.withBody { (body) throws(StorageError) in
                try record.withWinner { (revision) throws(StorageError) in
                    _ = try unsafe maker.make(body, places.find(in: body), id.span.bytes, revision)
                }
            }
            let row = FindPosition(key: maker.key, id: id)
            rows.append(row)
            bytes += row.key.count + row.id.count + 128
            if rows.count & 0xFF == 0 { try cancellation?.check() }
            return bytes <= TemporaryIndex.mostBytes
        }
        guard bytes <= TemporaryIndex.mostBytes else { return nil }
        rows.sort { a, b in
            a.key == b.key ? a.id.lexicographicallyPrecedes(b.id) : a.key.lexicographicallyPrecedes(b.key)
        }
        self.rows = rows
    }

    var count: Int { rows.count }

    /// Passes the rows within a range to `body`, until it returns false.
    ///
    /// - Complexity: O(log n), and the rows passed.
    func rows(
        in range: IndexRange,
        descending: Bool,
        _ body: (FindPosition) throws(StorageError) -> Bool
    ) throws(StorageError) {
        let lower = place { $0.isAbove(range.lower) }
        let upper = place { !$0.isBelow(range.upper) }
        guard lower < upper else { return }
        if descending {
            for row in rows[lower..<upper].reversed() where try !body(row) { return }
        } else {
            for row in rows[lower..<upper] where try !body(row) { return }
        }
    }

    /// The first row for which a condition holds. It holds for all later ones, too.
    private func place(where holds: (RowPosition) -> Bool) -> Int {
        var (lower, upper) = (0, rows.count)
        while lower < upper {
            let middle = lower + (upper - lower) / 2
            if holds(RowPosition(key: rows[middle].key, id: rows[middle].id, emit: 0)) {
                upper = middle
            } else {
                lower = middle + 1
            }
        }
        return lower
    }
}

extension MangoSelector {
    /// The field by which documents are best found with an index: one that is compared for equality, else one that is
    /// bounded in another way. Nil: none is.
    var bestField: FieldPath? {
        var other: FieldPath?
        for path in fields.sorted(by: { $0.text.utf8.lexicographicallyPrecedes($1.text.utf8) }) where !path.isDocumentID
        {
            let found = ranges(of: path)
            if found.ranges.isAll || found.mayBeMissing { continue }
            if found.ranges.arePoints { return path }
            other = other ?? path
        }
        return other
    }
}
