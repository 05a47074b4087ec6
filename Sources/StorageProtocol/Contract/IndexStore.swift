/// Named ordered indexes, read. The names are the Engine's; the store sees bytes and order.
public protocol IndexReader: AnyObject {
    /// The names of all indexes in the order of their bytes.
    func indexNames() throws(StorageError) -> [String]

    /// The state of an index, nil where there is none of this name.
    func indexState(_ name: String) throws(StorageError) -> IndexState?

    /// Hands rows whose position is within `range` to `body`, ordered by (key, document ID, emit number), backwards if
    /// `descending`, until it returns false.
    ///
    /// - Throws: `notFound` (404) where there is no such index.
    func indexRows(
        _ name: String,
        in range: IndexRange,
        descending: Bool,
        _ body: (borrowing IndexRowView) throws(StorageError) -> Bool
    ) throws(StorageError)

    /// Whether dropped indexes, or entries that went all at once, still take space: `reclaimDroppedIndexes` gives it
    /// back. Complexity: flat.
    func hasDroppedIndexes() throws(StorageError) -> Bool

    /// The sequence that the last replacement of the rows of `id` gave, changed or not; nil where the document has no
    /// rows in this index, or there is no such index.
    ///
    /// - Throws: `notImplemented` (501) where the index keeps no sequences.
    func indexedSequence(_ name: String, _ id: DocumentID) throws(StorageError) -> UInt64?

    /// Hands the documents that have rows in an index to `body`, in the order of their IDs' bytes, until it returns
    /// false: what `IndexLoad` takes to fill an index of another store.
    ///
    /// - Parameter id: only those behind this one; nil: all.
    /// - Throws: `notFound` (404) where there is no such index.
    func indexDocuments(
        _ name: String,
        after id: DocumentID?,
        _ body: (borrowing IndexDocumentView) throws(StorageError) -> Bool
    ) throws(StorageError)

    /// Hands the value of the entry `key` to `body`. False where there is none, or no such index.
    func indexEntry(
        _ name: String,
        key: RawSpan,
        _ body: (_ value: RawSpan) throws(StorageError) -> Void
    ) throws(StorageError) -> Bool

    /// Entries with keys in `range`, in the order of their bytes, backwards if `descending`, until `body` returns
    /// false; none where there is no such index.
    func indexEntries(
        _ name: String,
        in range: ByteRange,
        descending: Bool,
        _ body: (_ key: RawSpan, _ value: RawSpan) throws(StorageError) -> Bool
    ) throws(StorageError)
}

/// Named ordered indexes, written. Rows and entries for an index that does not exist are `notFound` (404).
public protocol IndexWriter: IndexReader {
    /// Makes the index where it does not exist, and sets its state (all but `rowCount`, which the store keeps).
    ///
    /// - Throws: `badParameter` (495) where `keepsSequences` is not as the index was made with.
    func setIndexState(_ name: String, _ state: IndexState) throws(StorageError)

    /// Replaces the rows of the documents in `batches` by those that the batches hold. Each document may occur once in
    /// all of them, in any order; one without rows leaves the index.
    ///
    /// Rows that are the same as before (key, key's text and value at the same emit number) are not rewritten, and no
    /// change; the document's sequence always becomes the batch's. Whether the documents have moved on since their rows
    /// were made is not looked at: the caller compares `IndexState.lastSequence` in this transaction.
    ///
    /// - Parameters:
    ///   - areNew: none of the documents has rows in this index, as in a first build. Nothing is looked up then; where
    ///     the promise does not hold, this may fail with `corrupt` (591).
    ///   - changes: what changed is added to it.
    /// - Throws: `notFound` (404) where there is no such index; `tooLarge` (413) for a row that cannot be stored,
    ///   before anything is written.
    func replaceIndexRows(
        _ name: String,
        by batches: [IndexBatch],
        areNew: Bool,
        changes: inout RowChanges
    ) throws(StorageError)

    /// Writes a part of the rows, and a part of the documents' records, of an index that is being filled
    /// (`IndexState.isFilling`).
    ///
    /// An index is filled in any number of transactions, from any number of loads, each row and each document once, in
    /// any order. Until it has both of each document, whoever reads it finds rows without documents or documents
    /// without rows. While it is being filled that is no damage, and `verify` says nothing of it; `dropIndex` works.
    ///
    /// - Parameters:
    ///   - rows: which of the load's rows.
    ///   - documents: which of the load's documents.
    /// - Throws: `notFound` (404) where there is no such index; `badParameter` (495) where it is not being filled;
    ///   `tooLarge` (413) for a row that cannot be stored, before anything is written; `corrupt` (591) where a row is
    ///   there already.
    func fillIndex(
        _ name: String,
        from load: IndexLoad,
        rows: Range<Int>,
        documents: Range<Int>
    ) throws(StorageError)

    /// Stores entries, each in the place of the one of the same key. Their meaning is the caller's: an ordered map of
    /// bytes beside the rows, which goes with the index. Of two with the same key the last one counts.
    ///
    /// - Throws: `notFound` (404) where there is no such index; `tooLarge` (413) for a key above 1 MiB, before anything
    ///   is written.
    func putIndexEntries(_ name: String, _ entries: IndexEntries) throws(StorageError)

    /// Removes the entries with keys in `range`, all of them in this transaction: for ranges that are known to hold
    /// few.
    ///
    /// - Throws: `notFound` (404) where there is no such index.
    /// - Complexity: linear in the entries that go.
    func removeIndexEntries(_ name: String, in range: ByteRange) throws(StorageError)

    /// Removes a part of the entries with keys in `range`: for ranges that may hold any number. By itself it lists
    /// them, and removes some at a time.
    ///
    /// - Parameter limit: how long to work, about; a little is done in any case.
    /// - Returns: whether some are left. Call it again then, in a transaction of its own, so that others can write
    ///   between.
    /// - Throws: `notFound` (404) where there is no such index.
    func removeIndexEntries(_ name: String, in range: ByteRange, for limit: Duration) throws(StorageError) -> Bool

    /// Removes all entries of an index. Its rows stay.
    ///
    /// Their space need not be free yet: `reclaimDroppedIndexes` frees it, as that of a dropped index. By itself it is
    /// a removal of the range of all keys, for engines to which that costs nothing.
    ///
    /// - Throws: `notFound` (404) where there is no such index.
    /// - Complexity: flat, however many there are.
    func removeAllIndexEntries(_ name: String) throws(StorageError)

    /// Removes the index, its rows, entries and state. Nothing happens where there is none.
    ///
    /// Its space need not be free yet: `reclaimDroppedIndexes` frees it, in this process or another, now or after the
    /// store was opened again. Until then an index that is made under the same name knows nothing of the old one.
    ///
    /// - Complexity: flat, however many rows it has.
    func dropIndex(_ name: String) throws(StorageError)

    /// Frees a part of what dropped indexes, and entries that went all at once, take.
    ///
    /// - Parameter limit: how long to work, about; a little is done in any case.
    /// - Returns: whether something is left. Call it again then, in a transaction of its own, so that others can write
    ///   between.
    func reclaimDroppedIndexes(for limit: Duration) throws(StorageError) -> Bool
}

extension IndexReader {
    /// A copy of the entry `key`; nil where there is none, or no such index.
    public func indexEntry(_ name: String, key: [UInt8]) throws(StorageError) -> [UInt8]? {
        var found: [UInt8]?
        _ = try unsafe indexEntry(name, key: key.span.bytes) { value in
            found = unsafe value.withUnsafeBytes { unsafe Array($0) }
        }
        return found
    }

    /// For engines whose dropped indexes take no space.
    public func hasDroppedIndexes() throws(StorageError) -> Bool { false }
}

extension IndexWriter {
    /// Stores one entry.
    public func putIndexEntry(_ name: String, key: [UInt8], value: [UInt8]) throws(StorageError) {
        var entries = IndexEntries()
        unsafe entries.append(key: key.span.bytes, value: value.span.bytes)
        try putIndexEntries(name, entries)
    }

    public func removeIndexEntries(
        _ name: String,
        in range: ByteRange,
        for limit: Duration
    ) throws(StorageError) -> Bool {
        let end = ContinuousClock.now + limit
        // Keys may have 1 MiB.
        let entriesAtOnce = 16
        while true {
            var last: [UInt8]?
            var count = 0
            try indexEntries(name, in: range, descending: false) { (key, _) throws(StorageError) in
                count += 1
                if count == entriesAtOnce { last = unsafe key.withUnsafeBytes { unsafe Array($0) } }
                return count <= entriesAtOnce
            }
            var part = range
            if count > entriesAtOnce, let last { part.upper = .including(last) }
            try removeIndexEntries(name, in: part)
            if count <= entriesAtOnce { return false }
            if ContinuousClock.now >= end { return true }
        }
    }

    public func removeAllIndexEntries(_ name: String) throws(StorageError) {
        try removeIndexEntries(name, in: .all)
    }

    /// For engines whose dropped indexes take no space.
    public func reclaimDroppedIndexes(for limit: Duration) throws(StorageError) -> Bool { false }
}

extension IndexState {
    /// For engines, before the state of an index is set anew.
    ///
    /// - Throws: `badParameter` (495) where the index cannot have that state.
    public func requireSettable(on present: IndexState) throws(StorageError) {
        guard keepsSequences == present.keepsSequences else {
            throw StorageError(
                .badParameter,
                "Whether an index keeps the sequences of documents is chosen when it is made. Drop it, and make "
                    + "another one."
            )
        }
    }
}

extension StorageError {
    /// For engines: what asking for the sequences of an index throws that keeps none.
    public static var indexKeepsNoSequences: StorageError {
        StorageError(.notImplemented, "The index keeps no sequences of documents. Make it with `keepsSequences`.")
    }
}

/// How far an index is and what it was built with.
public struct IndexState: Sendable, Equatable {
    /// The definition's version, as its owner writes it.
    public var version: String
    /// The collation it is ordered by.
    public var collationVersion: String
    /// The last sequence it has seen.
    public var lastSequence: UInt64
    /// The sequence at which a row last changed.
    public var lastChangedSequence: UInt64
    /// How many rows it holds; kept by the store.
    public var rowCount: UInt64
    /// Whether the index knows for each document the sequence that the last replacement of its rows gave. Chosen when
    /// it is made. Without, a document whose rows stay the same costs no write, and asking for sequences is
    /// `notImplemented` (501).
    public var keepsSequences: Bool

    /// Whether it is being filled: rows have changed at a sequence that it has not seen.
    public var isFilling: Bool { lastChangedSequence > lastSequence }

    public init(
        version: String,
        collationVersion: String,
        lastSequence: UInt64 = 0,
        lastChangedSequence: UInt64 = 0,
        rowCount: UInt64 = 0,
        keepsSequences: Bool = true
    ) {
        self.version = version
        self.collationVersion = collationVersion
        self.lastSequence = lastSequence
        self.lastChangedSequence = lastChangedSequence
        self.rowCount = rowCount
        self.keepsSequences = keepsSequences
    }
}

/// A place in an index: a key, optionally a document, optionally one of its rows.
public struct IndexPosition: Sendable, Equatable {
    /// The sort key.
    public var key: [UInt8]
    /// The document's ID in UTF-8; nil: all documents.
    public var documentID: [UInt8]?
    /// The row's number among those its document emitted; nil: all of them. Means nothing without `documentID`.
    public var emit: UInt32?

    public init(key: [UInt8], documentID: [UInt8]? = nil, emit: UInt32? = nil) {
        self.key = key
        self.documentID = documentID
        self.emit = emit
    }
}

/// A range of rows. A bound that names only a key (or key and document) stands for all its rows: including it takes
/// them all, excluding it leaves them all out.
public struct IndexRange: Sendable, Equatable {
    public enum Bound: Sendable, Equatable {
        case open
        case including(IndexPosition)
        case excluding(IndexPosition)
    }
    public var lower: Bound
    public var upper: Bound

    public init(lower: Bound = .open, upper: Bound = .open) {
        self.lower = lower
        self.upper = upper
    }

    /// Every row.
    public static let all = IndexRange()
}
