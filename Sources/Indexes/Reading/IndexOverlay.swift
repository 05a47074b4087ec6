internal import SetteeEngine
internal import StorageProtocol

/// Rows that an index lacks, in memory. Used if the index is not to be brought up to date, or cannot be, because the
/// database or the calling thread can only read.
///
/// The rows that the index has for documents in the overlay are hidden.
package struct IndexOverlay: Sendable {
    /// A row with its position.
    struct Row: Sendable {
        var key: [UInt8]
        var id: [UInt8]
        var emit: UInt32
        var keyJSON: [UInt8]
        var valueJSON: [UInt8]?
        var sequence: UInt64
    }

    let version: IndexVersion
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
    /// How many bytes of documents were evaluated.
    private var bytes = 0

    init(version: IndexVersion, collation: String, base: String?, baseSequence: UInt64) {
        self.version = version
        self.collation = collation
        self.base = base
        self.baseSequence = baseSequence
        lastSequence = baseSequence
    }

    package var isEmpty: Bool { documents.isEmpty }

    /// Adds what has changed up to the last sequence of a snapshot.
    ///
    /// - Parameter limit: for all that the index lacks; nil: none.
    /// - Returns: false if that is more than the limit, and nothing was added.
    mutating func update(
        _ mapper: any RowMapper,
        of database: Database,
        in transaction: any ReadTransaction,
        within limit: TailLimit?,
        noting: (ChunkMapper.Rows) -> Void
    ) throws(StorageError) -> Bool {
        let last = try database.lastSequence(in: transaction)
        let chunkMapper = ChunkMapper(database: database, threads: database.mappingThreads)
        var added: [Row] = []
        var changed: Set<[UInt8]> = []
        var seen = lastSequence
        var read = bytes
        while seen < last {
            let chunk = try ChunkReader.read(
                seen + 1...last,
                for: [mapper],
                in: transaction,
                maximumDocuments: limit.map { min($0.documents, ChunkReader.maximumDocuments) }
                    ?? ChunkReader.maximumDocuments
            )
            read += chunk.byteCount
            if let limit {
                guard read <= limit.bytes, documents.count + changed.count + chunk.entries.count <= limit.documents
                else { return false }
            }
            let mapped = try chunkMapper.map(chunk, [ChunkMapper.Work(mapper: mapper, after: seen)])[0]
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
        bytes = read
        guard !changed.isEmpty else { return true }
        if !documents.isDisjoint(with: changed) { rows.removeAll { changed.contains($0.id) } }
        add(added)
        documents.formUnion(changed)
        return true
    }

    /// Adds rows of documents that have none here. A few are put where they belong: that is what a reader finds who
    /// writes and reads by turns.
    private mutating func add(_ added: [Row]) {
        guard added.count > 8 else {
            for row in added { rows.insert(row, at: place { !($0 < row) }) }
            return
        }
        rows += added
        rows.sort { $0 < $1 }
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
