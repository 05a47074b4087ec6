/// Reads documents and their revisions.
public protocol RevisionReader: AnyObject {
    /// Returns the document count, sequence and change counter of this snapshot. Complexity: O(log n) at most.
    func counters() throws(StorageError) -> StoreCounters

    /// Passes the record of `id` to `body`, with at least the requested `fields`. Returns false if there is no record.
    func record(
        _ id: DocumentID,
        fields: RecordFields,
        _ body: (borrowing RecordView) throws(StorageError) -> Void
    ) throws(StorageError) -> Bool

    /// Passes the records of those `ids` that have one to `body` until it returns false. Each comes with its index in
    /// `ids`, in the order that is cheapest for the store. An ID that occurs twice is passed twice. The default
    /// implementation looks up one ID after another.
    func records(
        ids: [DocumentID],
        fields: RecordFields,
        _ body: (_ place: Int, borrowing RecordView) throws(StorageError) -> Bool
    ) throws(StorageError)

    /// Passes the records with IDs in `range` to `body` until it returns false, ordered by the bytes of the IDs, or in
    /// reverse if `descending`.
    func records(
        in range: ByteRange,
        descending: Bool,
        fields: RecordFields,
        _ body: (borrowing RecordView) throws(StorageError) -> Bool
    ) throws(StorageError)

    /// Passes the records whose sequence is in `range` to `body` until it returns false, ordered by sequence, or in
    /// reverse if `descending`. Each document appears once, under its highest sequence.
    func records(
        sequences range: ClosedRange<UInt64>,
        descending: Bool,
        fields: RecordFields,
        _ body: (borrowing RecordView) throws(StorageError) -> Bool
    ) throws(StorageError)

    /// Passes the records that are not deleted and pass a test to `body` until it returns false. The default
    /// implementation reads all records of the walk; an engine that can run the test where a record is stored has less
    /// to do for those that fail.
    ///
    /// - Parameter test: receives the ID and the winner's body. It must not read through this transaction. What it
    ///   throws ends the walk.
    func records(
        in walk: RecordWalk,
        where test: (_ id: RawSpan, _ body: RawSpan) throws(StorageError) -> Bool,
        fields: RecordFields,
        _ body: (borrowing RecordView) throws(StorageError) -> Bool
    ) throws(StorageError)

    /// Passes the kept body of a revision other than the winner to `body`. Returns false if none is kept.
    func revisionBody(at sequence: UInt64, _ body: (RawSpan) throws(StorageError) -> Void) throws(StorageError) -> Bool

    /// Passes the bodies of revisions other than winners, each with the document it belongs to, to `body` until it
    /// returns false. They are ordered by sequence.
    ///
    /// - Parameter sequence: Only bodies after this sequence; nil for all of them.
    func revisionBodies(
        after sequence: UInt64?,
        _ body: (_ sequence: UInt64, _ owner: DocumentID, RawSpan) throws(StorageError) -> Bool
    ) throws(StorageError)

    /// Passes the sequences that purges and expirations used up, each with the ID of the removed document, to `body`
    /// until it returns false. They are ordered by sequence.
    func hiddenEntries(
        sequences range: ClosedRange<UInt64>,
        _ body: (_ sequence: UInt64, DocumentID) throws(StorageError) -> Bool
    ) throws(StorageError)

    /// Passes the revision text and body of the local document `id` (`_local/...`) to `body`. Returns false if there is
    /// none.
    func localDocument(
        _ id: DocumentID,
        _ body: (_ revision: RawSpan, _ json: RawSpan) throws(StorageError) -> Void
    ) throws(StorageError) -> Bool

    /// Passes the local documents to `body`, ordered by the bytes of their IDs, until it returns false.
    ///
    /// - Parameter id: Only documents after this ID; nil for all of them.
    func localDocuments(
        after id: DocumentID?,
        _ body: (DocumentID, _ revision: RawSpan, _ json: RawSpan) throws(StorageError) -> Bool
    ) throws(StorageError)

    /// Returns when the document expires, in milliseconds since 1970. Nil: never, or there is no such document.
    func expiration(of id: DocumentID) throws(StorageError) -> Int64?

    /// Passes the documents with an expiration of at most `limit` (milliseconds since 1970) to `body` until it returns
    /// false. They are ordered by time, and those with the same time by the bytes of their IDs.
    func expirations(
        through limit: Int64,
        _ body: (_ time: Int64, DocumentID) throws(StorageError) -> Bool
    ) throws(StorageError)

    /// Returns the info value of `key`, or nil if there is none.
    func info(_ key: String) throws(StorageError) -> [UInt8]?

    /// Returns all info values, ordered by the bytes of their keys.
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

    /// Passes all bodies of revisions other than winners to `body`, ordered by sequence, until it returns false.
    public func revisionBodies(
        _ body: (_ sequence: UInt64, _ owner: DocumentID, RawSpan) throws(StorageError) -> Bool
    ) throws(StorageError) {
        try revisionBodies(after: nil, body)
    }

    /// Passes all local documents to `body`, ordered by the bytes of their IDs, until it returns false.
    public func localDocuments(
        _ body: (DocumentID, _ revision: RawSpan, _ json: RawSpan) throws(StorageError) -> Bool
    ) throws(StorageError) {
        try localDocuments(after: nil, body)
    }
}

/// Writes documents and their revisions. A method that requires a document's record throws `notFound` (404) if there is
/// none.
///
/// The store counts its live documents: the records whose flags lack `deleted`.
public protocol RevisionWriter: RevisionReader {
    /// Adds a document that has no record yet and no local ID. `draft.body` must be `.replace`. The sequence must be
    /// above every sequence used. In a store that is being built, any unused sequence will do.
    ///
    /// - Throws: `exists` (412) if the document has a record, `badParameter` (495) for another body or sequence.
    func insert(_ draft: borrowing RecordDraft) throws(StorageError)

    /// Replaces the record of `draft.documentID`: its flags, sequence, winner and tree, and the current body according
    /// to `draft.body`. In most cases the same document was looked up earlier in this transaction, so it pays for an
    /// engine to remember where it was found.
    ///
    /// - Throws: `notFound` (404) if the document has no record, `badParameter` (495) for a sequence that is not above
    ///   every sequence used.
    func update(_ draft: borrowing RecordDraft) throws(StorageError)

    /// Keeps the body of a revision other than the winner under the revision's own sequence. Replaces an existing one.
    ///
    /// - Throws: `notFound` (404) if `owner` has no record.
    func putRevisionBody(_ json: RawSpan, at sequence: UInt64, owner: DocumentID) throws(StorageError)

    /// Removes such a body. Does nothing if none is kept.
    func removeRevisionBody(at sequence: UInt64) throws(StorageError)

    /// Removes a document's record and expiration and leaves a hidden entry at `sequence`. The caller first removes the
    /// bodies of the other revisions, which the tree lists.
    ///
    /// - Throws: `badParameter` (495) for a sequence that is not above every sequence used, `notFound` (404) if the
    ///   document has no record.
    func purge(_ id: DocumentID, sequence: UInt64) throws(StorageError)

    /// Makes changes one after another. Each sees the effects of those before it.
    ///
    /// - Returns: For each change, nil if it was made, or else the error that refused it (`exists` 412, `notFound` 404,
    ///   `badParameter` 495, `tooLarge` 413). A refused change has no effect, and its sequence remains free.
    /// - Throws: An error that concerns more than a single change, such as a storage failure, which dooms the
    ///   transaction.
    func apply(_ changes: [RecordChange]) throws(StorageError) -> [StorageError?]

    /// Raises `lastSequence` to at least `sequence`, so that no lower sequence is assigned from then on. Does nothing
    /// if it is already that high.
    ///
    /// - Throws: `badParameter` (495) for a sequence above 2^63 - 1.
    func raiseLastSequence(to sequence: UInt64) throws(StorageError)

    /// Adds a hidden entry at any unused sequence. Only available with `StorageOptions.isBeingBuilt`.
    ///
    /// - Throws: `badParameter` (495) without that option, and for a sequence that is in use or above 2^63 - 1.
    func hide(_ id: DocumentID, at sequence: UInt64) throws(StorageError)

    /// Sets the counters to those of another store. From now on `lastSequence` has the given value. The commit of this
    /// transaction leaves the change counter at the given value, even if it was higher before, and later commits count
    /// on from there. Only available with `StorageOptions.isBeingBuilt`, and best called last: a reader that has seen a
    /// higher change counter of this engine must discard anything it cached under that counter.
    ///
    /// - Throws: `badParameter` (495) without that option; for a `lastSequence` below a sequence that was used; for a
    ///   `liveDocuments` that differs from the store's own count; for a number above 2^63 - 1.
    func restore(_ counters: StoreCounters) throws(StorageError)

    /// Removes hidden entries up to `sequence`. `lastSequence` stays unchanged.
    func trimHiddenEntries(through sequence: UInt64) throws(StorageError)

    /// Stores a local document and replaces any existing one with the same ID. Uses no sequence.
    func putLocalDocument(_ id: DocumentID, revision: RawSpan, json: RawSpan) throws(StorageError)
    /// Removes a local document. Does nothing if there is none.
    func removeLocalDocument(_ id: DocumentID) throws(StorageError)

    /// Sets or clears (nil) the document's expiration, in milliseconds since 1970. Uses no sequence.
    ///
    /// - Throws: `notFound` (404) if the document has no record, also when clearing.
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
