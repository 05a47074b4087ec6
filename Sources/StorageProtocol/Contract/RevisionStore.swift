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

    /// Hands those of `ids` that have a record to `body`, each with its place among `ids`, in the order that the store
    /// finds cheapest, until it returns false. An ID that is there twice comes twice. By itself it looks up one after
    /// another.
    func records(
        ids: [DocumentID],
        fields: RecordFields,
        _ body: (_ place: Int, borrowing RecordView) throws(StorageError) -> Bool
    ) throws(StorageError)

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
    public func records(
        ids: [DocumentID],
        fields: RecordFields,
        _ body: (_ place: Int, borrowing RecordView) throws(StorageError) -> Bool
    ) throws(StorageError) {
        for (place, id) in ids.enumerated() {
            var goesOn = true
            _ = try record(id, fields: fields) { (record) throws(StorageError) in goesOn = try body(place, record) }
            if !goesOn { return }
        }
    }

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
    /// above every one used, and in a store that is being built any that is not in use.
    ///
    /// - Throws: `exists` (412) where the document has a record, `badParameter` (495) for another body or sequence.
    func insert(_ draft: borrowing RecordDraft) throws(StorageError)

    /// Replaces the record of `draft.documentID`: its flags, sequence, winner and tree, and the current body as
    /// `draft.body` says. It mostly follows a look-up of the same document in this transaction: an engine does well to
    /// remember where that was.
    ///
    /// - Throws: `notFound` (404) where the document has no record, `badParameter` (495) for a sequence that is not
    ///   above every one used.
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

    /// Makes changes one after another; each sees what those before it did.
    ///
    /// - Returns: for each of them nil where it was made, and else why it was refused (`exists` 412, `notFound` 404,
    ///   `badParameter` 495, `tooLarge` 413): then it has changed nothing, and its sequence is as free as before.
    /// - Throws: whatever refuses or fails more than a single change, such as a storage failure, which dooms the
    ///   transaction.
    func apply(_ changes: [RecordChange]) throws(StorageError) -> [StorageError?]

    /// Sees to it that `lastSequence` is at least `sequence`: no lower one is given out any more. Nothing happens where
    /// it is.
    ///
    /// - Throws: `badParameter` (495) for one beyond 2^63 - 1.
    func raiseLastSequence(to sequence: UInt64) throws(StorageError)

    /// Adds a hidden entry, at any sequence that is not in use. Only where `StorageOptions.isBeingBuilt`.
    ///
    /// - Throws: `badParameter` (495) elsewhere, and for a sequence that is in use or beyond 2^63 - 1.
    func hide(_ id: DocumentID, at sequence: UInt64) throws(StorageError)

    /// Sets the counters to those of another store: from now on `lastSequence` is the one given, and the commit of this
    /// transaction leaves the change counter as it is given, be it lower than before. Commits after it count on from
    /// there. Only where `StorageOptions.isBeingBuilt`, and best the last call of all: who has seen a higher change
    /// counter of this engine must not go on using what it learned by it.
    ///
    /// - Throws: `badParameter` (495) elsewhere; for a `lastSequence` below one that was used; for `liveDocuments` that
    ///   are not those that the store has; for a number beyond 2^63 - 1.
    func restore(_ counters: StoreCounters) throws(StorageError)

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

extension RevisionWriter {
    public func apply(_ changes: [RecordChange]) throws(StorageError) -> [StorageError?] {
        var outcomes: [StorageError?] = []
        outcomes.reserveCapacity(changes.count)
        for change in changes {
            do throws(StorageError) {
                switch change {
                case .insert(let draft): try insert(draft)
                case .update(let draft): try update(draft)
                case .purge(let id, let sequence): try purge(id, sequence: sequence)
                }
                outcomes.append(nil)
            } catch {
                guard error.code.isRefusalOfChange else { throw error }
                outcomes.append(error)
            }
        }
        return outcomes
    }
}
