internal import SetteeEngine
internal import StorageProtocol

/// Rows that an index lacks, in memory. Used if the index cannot be brought up to date because the database or the
/// calling thread can only read.
///
/// The rows that the index has for documents in the overlay are hidden.
struct IndexOverlay: Sendable {
    /// A row with its position.
    struct Row: Sendable {
        var key: [UInt8]
        var id: [UInt8]
        var emit: UInt32
        var keyJSON: [UInt8]
        var valueJSON: [UInt8]?
        var sequence: UInt64
    }

    let version: ViewVersion
    let collation: String
    /// The index that it complements, and the last sequence that this index has seen; nil: there is none.
    let base: String?
    let baseSequence: UInt64
    /// The last sequence that it has seen.
    private(set) var lastSequence: UInt64
    /// The rows in their order.
    private(set) var rows: [Row] = []
    /// All documents that changed after the index, with or without rows.
    private(set) var documents: Set<[UInt8]> = []

    init(version: ViewVersion, collation: String, base: String?, baseSequence: UInt64) {
        self.version = version
        self.collation = collation
        self.base = base
        self.baseSequence = baseSequence
        lastSequence = baseSequence
    }

    var isEmpty: Bool { documents.isEmpty }

    /// Adds what has changed up to the last sequence of a snapshot.
    mutating func update(
        _ function: ViewFunction,
        of database: Database,
        in transaction: any ReadTransaction,
        noting: (ChunkMapper.Rows) -> Void
    ) throws(StorageError) {
        let last = try database.lastSequence(in: transaction)
        let mapper = ChunkMapper(database: database, threads: database.mappingThreads)
        var added: [Row] = []
        var changed: Set<[UInt8]> = []
        var seen = lastSequence
        while seen < last {
            let chunk = try ChunkReader.read(seen + 1...last, for: [function], in: transaction)
            let mapped = try mapper.map(chunk, [ChunkMapper.Work(function: function, after: seen)])[0]
            noting(mapped)
            for batch in mapped.batches {
                batch.forEachDocument { id, sequence, rows in
                    let id = copy(id)
                    changed.insert(id)
                    for (emit, row) in rows.enumerated() {
                        let row = batch.row(row)
                        added.append(
                            Row(
                                key: row.key,
                                id: id,
                                emit: UInt32(emit),
                                keyJSON: row.keyJSON,
                                valueJSON: row.valueJSON,
                                sequence: sequence
                            )
                        )
                    }
                }
            }
            seen = chunk.last
        }
        lastSequence = last
        guard !changed.isEmpty else { return }
        rows.removeAll { changed.contains($0.id) }
        rows += added
        rows.sort { $0 < $1 }
        documents.formUnion(changed)
    }

    /// Returns the indexes of the rows within a range.
    ///
    /// - Complexity: O(log rows).
    func places(in range: IndexRange) -> Range<Int> {
        let lower = place { $0.place.isAbove(range.lower) }
        let upper = place { !$0.place.isBelow(range.upper) }
        return lower..<max(lower, upper)
    }

    /// Returns the index of the first row for which a condition holds. It must hold for all later rows, too.
    private func place(where holds: (Row) -> Bool) -> Int {
        var (lower, upper) = (0, rows.count)
        while lower < upper {
            let middle = lower + (upper - lower) / 2
            if holds(rows[middle]) { upper = middle } else { lower = middle + 1 }
        }
        return lower
    }

    private func copy(_ span: RawSpan) -> [UInt8] { unsafe span.withUnsafeBytes { unsafe Array($0) } }
}

extension IndexOverlay.Row: Comparable {
    static func < (a: Self, b: Self) -> Bool { a.place < b.place }
    static func == (a: Self, b: Self) -> Bool { a.place == b.place }

    var place: RowPosition { RowPosition(key: key, id: id, emit: emit) }
}
