/// Reads named ordered indexes. The caller chooses the names; the store only deals with bytes and their order.
public protocol IndexReader: AnyObject {
    /// Returns the names of all indexes, ordered by their bytes.
    func indexNames() throws(StorageError) -> [String]

    /// Returns the state of an index, or nil if there is no index with this name.
    func indexState(_ name: String) throws(StorageError) -> IndexState?

    /// Passes the rows whose position is within `range` to `body` until it returns false. They are ordered by (key,
    /// document ID, emit number), or in reverse if `descending`.
    ///
    /// - Throws: `notFound` (404) if there is no such index.
    func indexRows(
        _ name: String,
        in range: IndexRange,
        descending: Bool,
        _ body: (borrowing IndexRowView) throws(StorageError) -> Bool
    ) throws(StorageError)

    /// Returns whether dropped indexes, or entries that were removed all at once, still take up space.
    /// `reclaimDroppedIndexes` frees that space. Complexity: independent of how much that is.
    func hasDroppedIndexes() throws(StorageError) -> Bool

    /// Returns the sequence passed to the last replacement of the rows of `id`, whether or not they changed. Returns
    /// nil if the document has no rows in this index, or if there is no such index.
    ///
    /// - Throws: `notImplemented` (501) if the index keeps no sequences.
    func indexedSequence(_ name: String, _ id: DocumentID) throws(StorageError) -> UInt64?

    /// Passes the documents that have rows in an index to `body`, ordered by the bytes of their IDs, until it returns
    /// false. `IndexLoad` takes them to fill an index of another store.
    ///
    /// - Parameter id: Only documents after this ID; nil for all of them.
    /// - Throws: `notFound` (404) if there is no such index.
    func indexDocuments(
        _ name: String,
        after id: DocumentID?,
        _ body: (borrowing IndexDocumentView) throws(StorageError) -> Bool
    ) throws(StorageError)

    /// Passes the value of the entry `key` to `body`. Returns false if there is no such entry or no such index.
    func indexEntry(
        _ name: String,
        key: RawSpan,
        _ body: (_ value: RawSpan) throws(StorageError) -> Void
    ) throws(StorageError) -> Bool

    /// Passes the entries with keys in `range` to `body`, ordered by the bytes of their keys, or in reverse if
    /// `descending`, until it returns false. There are none if there is no such index.
    func indexEntries(
        _ name: String,
        in range: ByteRange,
        descending: Bool,
        _ body: (_ key: RawSpan, _ value: RawSpan) throws(StorageError) -> Bool
    ) throws(StorageError)
}

/// Writes named ordered indexes. Writing rows or entries to an index that does not exist throws `notFound` (404).
public protocol IndexWriter: IndexReader {
    /// Creates the index if it does not exist, and sets its state (all but `rowCount`, which the store maintains).
    ///
    /// - Throws: `badParameter` (495) if `keepsSequences` differs from the value that the index was created with.
    func setIndexState(_ name: String, _ state: IndexState) throws(StorageError)

    /// Replaces the rows of the documents in `batches` by the rows in the batches. Each document may occur only once in
    /// all batches. The order does not matter. A document without rows is removed from the index.
    ///
    /// Rows that are the same as before (key, key's text and value at the same emit number) are not rewritten and do
    /// not count as changes. The document's sequence always becomes that of its batch. This method does not check
    /// whether the documents have changed since their rows were made: the caller compares `IndexState.lastSequence` in
    /// this transaction.
    ///
    /// - Parameters:
    ///   - areNew: None of the documents has rows in this index, as in a first build. Nothing is looked up then; if the
    ///     promise does not hold, this may fail with `corrupt` (591).
    ///   - changes: The changes made are added to it.
    /// - Throws: `notFound` (404) if there is no such index; `tooLarge` (413) for a row that cannot be stored, before
    ///   anything is written.
    func replaceIndexRows(
        _ name: String,
        by batches: [IndexBatch],
        areNew: Bool,
        changes: inout RowChanges
    ) throws(StorageError)

    /// Writes some of the rows and some of the documents' records of an index that is being filled
    /// (`IndexState.isFilling`).
    ///
    /// An index is filled in any number of transactions, from any number of loads: each row and each document once, in
    /// any order. Until both are there for each document, readers find rows without documents or documents without
    /// rows. That is not damage while the index is being filled, and `verify` does not report it. `dropIndex` works.
    ///
    /// - Parameters:
    ///   - rows: Which of the load's rows to write.
    ///   - documents: Which of the load's documents to write.
    /// - Throws: `notFound` (404) if there is no such index; `badParameter` (495) if it is not being filled; `tooLarge`
    ///   (413) for a row that cannot be stored, before anything is written; `corrupt` (591) if the engine notices that
    ///   a row is already there. An engine that would have to look it up need not: `verify` finds the wrong count.
    func fillIndex(
        _ name: String,
        from load: IndexLoad,
        rows: Range<Int>,
        documents: Range<Int>
    ) throws(StorageError)

    /// Stores entries, and replaces existing ones with the same keys. Entries are an ordered map of bytes that an index
    /// has beside its rows. They are dropped with it, and their meaning is up to the caller. If two entries have the
    /// same key, the last one counts.
    ///
    /// - Throws: `notFound` (404) if there is no such index; `tooLarge` (413) for a key above 1 MiB, before anything is
    ///   written.
    func putIndexEntries(_ name: String, _ entries: IndexEntries) throws(StorageError)

    /// Removes all entries with keys in `range` in this transaction. For ranges that are known to hold few entries.
    ///
    /// - Throws: `notFound` (404) if there is no such index.
    /// - Complexity: Linear in the number of entries removed.
    func removeIndexEntries(_ name: String, in range: ByteRange) throws(StorageError)

    /// Removes some of the entries with keys in `range`. For ranges that may hold any number of entries. The default
    /// implementation lists them and removes a few at a time.
    ///
    /// - Parameter limit: Roughly how long to work. At least a little is done in any case.
    /// - Returns: Whether entries are left. If so, call it again in another transaction, so that other writers get a
    ///   turn in between.
    /// - Throws: `notFound` (404) if there is no such index.
    func removeIndexEntries(_ name: String, in range: ByteRange, for limit: Duration) throws(StorageError) -> Bool

    /// Removes all entries of an index. Its rows stay.
    ///
    /// Their space need not be freed at once: `reclaimDroppedIndexes` frees it, as it does for a dropped index. The
    /// default implementation removes the range of all keys, which suits engines where that costs nothing.
    ///
    /// - Throws: `notFound` (404) if there is no such index.
    /// - Complexity: Independent of the number of entries.
    func removeAllIndexEntries(_ name: String) throws(StorageError)

    /// Removes the index with its rows, entries and state. Does nothing if there is none.
    ///
    /// Its space need not be freed at once: `reclaimDroppedIndexes` frees it, in this process or another one, now or
    /// after the store has been opened again. Until then, a new index with the same name contains nothing of the old
    /// one.
    ///
    /// - Complexity: Independent of the number of rows.
    func dropIndex(_ name: String) throws(StorageError)

    /// Frees some of the space taken up by dropped indexes and by entries that were removed all at once.
    ///
    /// - Parameter limit: Roughly how long to work. At least a little is done in any case.
    /// - Returns: Whether something is left. If so, call it again in another transaction, so that other writers get a
    ///   turn in between.
    func reclaimDroppedIndexes(for limit: Duration) throws(StorageError) -> Bool
}

extension IndexReader {
    /// Returns a copy of the value of the entry `key`, or nil if there is no such entry or no such index.
    public func indexEntry(_ name: String, key: [UInt8]) throws(StorageError) -> [UInt8]? {
        var found: [UInt8]?
        _ = try unsafe indexEntry(name, key: key.span.bytes) { value in
            found = unsafe value.withUnsafeBytes { unsafe Array($0) }
        }
        return found
    }

    /// The default, for engines whose dropped indexes take up no space.
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
        // Keys may be up to 1 MiB long.
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

    /// The default, for engines whose dropped indexes take up no space.
    public func reclaimDroppedIndexes(for limit: Duration) throws(StorageError) -> Bool { false }
}

extension IndexState {
    /// For engines: checks a new state before it is set on an existing index.
    ///
    /// - Throws: `badParameter` (495) if the index cannot have that state.
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
    /// For engines: the error for a request for sequences to an index that keeps none.
    public static var indexKeepsNoSequences: StorageError {
        StorageError(.notImplemented, "The index keeps no sequences of documents. Make it with `keepsSequences`.")
    }
}

/// How far an index has been built, and what it was built with.
public struct IndexState: Sendable, Equatable {
    /// The version of the definition, as written by the index's owner.
    public var version: String
    /// The version of the collation that orders it.
    public var collationVersion: String
    /// The last sequence that has been indexed.
    public var lastSequence: UInt64
    /// The sequence at which a row last changed.
    public var lastChangedSequence: UInt64
    /// How many rows the index holds. Maintained by the store.
    public var rowCount: UInt64
    /// Whether the index keeps, for each document, the sequence passed to the last replacement of its rows. Chosen when
    /// the index is created. Without it, a document whose rows stay the same costs no write, and reading a sequence
    /// throws `notImplemented` (501).
    public var keepsSequences: Bool

    /// Whether the index is being filled: rows have changed at a sequence that it has not reached yet.
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

/// A position in an index: a key, optionally a document, optionally one of its rows.
public struct IndexPosition: Sendable, Equatable {
    /// The sort key.
    public var key: [UInt8]
    /// The document's ID in UTF-8; nil: all documents.
    public var documentID: [UInt8]?
    /// The row's number among the rows that its document emitted; nil: all of them. Has no meaning without
    /// `documentID`.
    public var emit: UInt32?

    public init(key: [UInt8], documentID: [UInt8]? = nil, emit: UInt32? = nil) {
        self.key = key
        self.documentID = documentID
        self.emit = emit
    }
}

/// A range of rows. A bound that names only a key (or a key and a document) stands for all of its rows: an including
/// bound takes in all of them, and an excluding bound leaves all of them out.
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
