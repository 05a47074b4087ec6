internal import SetteeDocumentValues
internal import SetteeEngine
internal import StorageProtocol

/// Copies documents out of a snapshot, in the order of their sequences, for mappers.
struct ChunkReader {
    /// The most documents, and bytes of documents, in a chunk. A chunk has at least one document.
    static let maximumDocuments = 4096
    static let maximumBytes = 4 << 20

    private var bytes: [UInt8] = []
    private var entries: [DocumentChunk.Entry] = []
    /// The entries of documents with conflicts.
    private var conflicted: [Int] = []
    private let fields: RecordFields
    private let readsDesignDocuments: Bool

    private init(for mappers: [any RowMapper]) {
        fields = mappers.contains { $0.readsRevisions } ? [.winner, .body] : .body
        readsDesignDocuments = mappers.contains { $0.takesDesignDocuments }
    }

    /// Returns the documents with sequences in `range`, including purged ones, as many as fit a chunk.
    ///
    /// - Parameter mappers: the mappers of the documents. Revision IDs are read only if one of them needs them.
    static func read(
        _ range: ClosedRange<UInt64>,
        for mappers: [any RowMapper],
        in transaction: any ReadTransaction,
        maximumDocuments: Int = ChunkReader.maximumDocuments
    ) throws(StorageError) -> DocumentChunk {
        var reader = ChunkReader(for: mappers)
        let expected = Int(min(range.upperBound - range.lowerBound, UInt64(maximumDocuments)))
        reader.bytes.reserveCapacity(min(expected * 512, maximumBytes))
        let last = try reader.readRecords(range, transaction, maximumDocuments) ?? range.upperBound
        try reader.readConflicts(transaction)
        try reader.readPurged(range.lowerBound...last, transaction)
        return DocumentChunk(
            bytes: reader.bytes,
            entries: reader.entries,
            last: last
        )
    }

    /// - Returns: the sequence of the last one if more may follow.
    private mutating func readRecords(
        _ range: ClosedRange<UInt64>,
        _ transaction: any ReadTransaction,
        _ maximum: Int
    ) throws(StorageError) -> UInt64? {
        var next: UInt64?
        try transaction.orderedRecords(sequences: range, descending: false, fields: fields) {
            (record) throws(StorageError) in
            add(record)
            guard entries.count < maximum, bytes.count < ChunkReader.maximumBytes else {
                next = record.sequence
                return false
            }
            return true
        }
        return next
    }

    private mutating func add(_ record: borrowing RecordView) {
        let id = record.withID { append($0) }
        var entry = DocumentChunk.Entry(id: id, winner: 0..<0, body: nil, sequence: record.sequence)
        // As in CouchDB, mappers do not see design documents unless they ask for them.
        entry.isDesign = record.isOfDesign
        if !record.flags.contains(.deleted), !entry.isDesign || readsDesignDocuments {
            if fields.contains(.winner) { entry.winner = record.withWinner { append($0) } }
            entry.body = record.withBody { append($0) }
            if record.flags.contains(.conflicted) { conflicted.append(entries.count) }
        }
        entries.append(entry)
    }

    private mutating func append(_ part: RawSpan) -> Range<Int> {
        let start = bytes.count
        unsafe part.withUnsafeBytes { unsafe bytes.append(contentsOf: $0) }
        return start..<bytes.count
    }

    private mutating func readConflicts(_ transaction: any ReadTransaction) throws(StorageError) {
        var ids: [DocumentID] = []
        for number in conflicted {
            ids.append(try unsafe DocumentID(stored: bytes.span.bytes.extracting(entries[number].id)))
        }
        try transaction.records(ids: ids, fields: .tree) { (place, record) throws(StorageError) in
            let tree = try record.withTree { (bytes) throws(StorageError) in try RevisionTree(stored: bytes) }
            let leaves = tree.leaves.dropFirst().filter { !$0.isDeleted }
            entries[conflicted[place]].conflicts = leaves.map(\.id.string)
            return true
        }
    }

    /// Adds documents that were purged and not created again before the end of the chunk.
    private mutating func readPurged(
        _ range: ClosedRange<UInt64>,
        _ transaction: any ReadTransaction
    ) throws(StorageError) {
        var purged: [DocumentID: UInt64] = [:]
        try transaction.orderedHiddenEntries(sequences: range) { (sequence, id) throws(StorageError) in
            purged[id] = sequence
            return true
        }
        if purged.isEmpty { return }
        for entry in entries {
            let id = try unsafe DocumentID(stored: bytes.span.bytes.extracting(entry.id))
            purged[id] = nil
        }
        for (id, sequence) in purged {
            let place = id.withBytes { append($0) }
            entries.append(DocumentChunk.Entry(id: place, winner: 0..<0, body: nil, sequence: sequence))
        }
    }
}
