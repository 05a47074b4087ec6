/// Documents and their revisions, read.
public protocol RevisionReader: AnyObject {
    /// Document count, sequence and change counter of this snapshot. Complexity: O(log n) at most.
    func counters() throws(StorageError) -> StoreCounters

    /// Hands the record of `id` to `body`, with at least the `fields` asked for. False where there is none.
    func record(
        _ id: DocumentID,
        fields: RecordFields,
        _ body: (borrowing RecordView) throws(StorageError) -> Void
    ) throws(StorageError) -> Bool

    /// Hands the records with IDs in `range` to `body`, in the order of the IDs' bytes (backwards if `descending`),
    /// until it returns false.
    func records(
        in range: ByteRange,
        descending: Bool,
        fields: RecordFields,
        _ body: (borrowing RecordView) throws(StorageError) -> Bool
    ) throws(StorageError)

    /// Hands the records whose sequence is in `range` to `body`, in the order of sequences (backwards if `descending`),
    /// until it returns false. A document appears once, under its highest sequence.
    func records(
        sequences range: ClosedRange<UInt64>,
        descending: Bool,
        fields: RecordFields,
        _ body: (borrowing RecordView) throws(StorageError) -> Bool
    ) throws(StorageError)

    /// Hands the body that is kept for a revision other than the winner to `body`. False where none is kept.
    func revisionBody(at sequence: UInt64, _ body: (RawSpan) throws(StorageError) -> Void) throws(StorageError) -> Bool

    /// Bodies of revisions other than winners, in the order of their sequences, with the document they belong to, until
    /// `body` returns false.
    ///
    /// - Parameter sequence: only those behind this sequence; nil: all.
    func revisionBodies(
        after sequence: UInt64?,
        _ body: (_ sequence: UInt64, _ owner: DocumentID, RawSpan) throws(StorageError) -> Bool
    ) throws(StorageError)

    /// Sequences that purges and expiries consumed, in order, with the ID that went, until `body` returns false.
    func hiddenEntries(
        sequences range: ClosedRange<UInt64>,
        _ body: (_ sequence: UInt64, DocumentID) throws(StorageError) -> Bool
    ) throws(StorageError)

    /// The local document `id` (`_local/...`): its revision text and body. False where there is none.
    func localDocument(
        _ id: DocumentID,
        _ body: (_ revision: RawSpan, _ json: RawSpan) throws(StorageError) -> Void
    ) throws(StorageError) -> Bool

    /// Local documents in the order of their IDs' bytes, until `body` returns false.
    ///
    /// - Parameter id: only those behind this ID; nil: all.
    func localDocuments(
        after id: DocumentID?,
        _ body: (DocumentID, _ revision: RawSpan, _ json: RawSpan) throws(StorageError) -> Bool
    ) throws(StorageError)

    /// When the document expires, in milliseconds since 1970; nil: never, or there is no such document.
    func expiration(of id: DocumentID) throws(StorageError) -> Int64?

    /// Documents with an expiration of at most `limit` (milliseconds since 1970), soonest first and at the same time in
    /// the order of their IDs' bytes, until `body` returns false.
    func expirations(
        through limit: Int64,
        _ body: (_ time: Int64, DocumentID) throws(StorageError) -> Bool
    ) throws(StorageError)

    /// The info value of `key`, nil where there is none.
    func info(_ key: String) throws(StorageError) -> [UInt8]?

    /// All info values in the order of their keys' bytes.
    func allInfo() throws(StorageError) -> [(key: String, value: [UInt8])]
}

extension RevisionReader {
    /// All bodies of revisions other than winners, in the order of their sequences, until `body` returns false.
    public func revisionBodies(
        _ body: (_ sequence: UInt64, _ owner: DocumentID, RawSpan) throws(StorageError) -> Bool
    ) throws(StorageError) {
        try revisionBodies(after: nil, body)
    }

    /// All local documents in the order of their IDs' bytes, until `body` returns false.
    public func localDocuments(
        _ body: (DocumentID, _ revision: RawSpan, _ json: RawSpan) throws(StorageError) -> Bool
    ) throws(StorageError) {
        try localDocuments(after: nil, body)
    }
}

/// Documents and their revisions, written. A document that has no record is `notFound` (404) where it must have one.
///
/// The store counts its live documents: a record whose flags lack `deleted` is one.
public protocol RevisionWriter: RevisionReader {
    /// Adds a document that has no record yet and no local ID. `draft.body` must be `.replace`; the sequence must be
    /// above every one used.
    ///
    /// - Throws: `exists` (412) where the document has a record, `badParameter` (495) for another body or sequence.
    func insert(_ draft: borrowing RecordDraft) throws(StorageError)

    /// Replaces the record of `draft.documentID`: its flags, sequence, winner and tree, and the current body as
    /// `draft.body` says. It mostly follows a look-up of the same document in this transaction: an engine does well to
    /// remember where that was.
    ///
    /// - Throws: `notFound` (404) where the document has no record, `badParameter` (495) for a sequence that is not above
    ///   every one used.
    func update(_ draft: borrowing RecordDraft) throws(StorageError)

    /// Keeps the body of a revision that is not the winner, under the revision's own sequence; replaces one that is
    /// there.
    ///
    /// - Throws: `notFound` (404) where `owner` has no record.
    func putRevisionBody(_ json: RawSpan, at sequence: UInt64, owner: DocumentID) throws(StorageError)

    /// Drops such a body; nothing happens where none is kept.
    func removeRevisionBody(at sequence: UInt64) throws(StorageError)

    /// Removes a document's record and expiration and leaves a hidden entry at `sequence`. The caller removes the
    /// bodies of other revisions first: the tree names them.
    ///
    /// - Throws: `badParameter` (495) for a sequence that is not above every one used, `notFound` (404) where the
    ///   document has no record.
    func purge(_ id: DocumentID, sequence: UInt64) throws(StorageError)

    /// Forgets hidden entries up to `sequence`. `lastSequence` stays.
    func trimHiddenEntries(through sequence: UInt64) throws(StorageError)

    /// Stores a local document, replacing the one of the same ID. It takes no sequence.
    func putLocalDocument(_ id: DocumentID, revision: RawSpan, json: RawSpan) throws(StorageError)
    /// Removes a local document. Nothing happens where there is none.
    func removeLocalDocument(_ id: DocumentID) throws(StorageError)

    /// Sets or clears (nil) the document's expiration, in milliseconds since 1970. Takes no sequence.
    ///
    /// - Throws: `notFound` (404) where the document has no record, whether it is set or cleared.
    func setExpiration(_ time: Int64?, of id: DocumentID) throws(StorageError)

    /// Sets or removes (nil) an info value.
    func setInfo(_ value: [UInt8]?, for key: String) throws(StorageError)
}
