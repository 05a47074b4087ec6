/// The errors that the contract names, so that every engine throws them with the same words.
extension StorageError {
    /// 503: a call after `StorageEngine.close`.
    public static var closed: StorageError { StorageError(.notOpen, "The database is closed. Open it again.") }

    /// 401: no key, or not the one that the store is encrypted with.
    public static var wrongKey: StorageError {
        StorageError(
            .unauthorized,
            "The database is encrypted, and not with this key, or none was given. Give the right one."
        )
    }

    /// 503: a call after the end of its transaction.
    public static var transactionIsOver: StorageError {
        StorageError(.notOpen, "The transaction is over. Begin a new one.")
    }

    /// 593: a call from a thread other than the transaction's.
    public static var wrongThread: StorageError {
        StorageError(.callback, "A transaction belongs to the thread that began it. Begin one on this thread.")
    }

    /// 593: a write inside a closure that reads through the same transaction.
    public static var writeInClosure: StorageError {
        StorageError(
            .callback,
            "A closure that reads through a transaction must not write through it. Write after it has returned."
        )
    }

    /// 593: a second write transaction on one thread.
    public static var secondWriter: StorageError {
        StorageError(.callback, "This thread has begun a write transaction already. Use that one, or end it first.")
    }

    /// 595: another thread has been writing for longer than the caller was willing to wait.
    public static var writerIsBusy: StorageError {
        StorageError(.busy, "Another thread has been writing for too long. Try again later, or wait longer.")
    }

    /// 495: hidden entries or counters for a store that is not being built.
    public static var notBeingBuilt: StorageError {
        StorageError(
            .badParameter,
            "Only a store that is being built takes hidden entries and counters. Open it with `isBeingBuilt`."
        )
    }

    /// 495: a record or hidden entry for a store that is being built, at a sequence that is in use.
    public static func sequenceInUse(_ sequence: UInt64) -> StorageError {
        StorageError(.badParameter, "Sequence \(sequence) is in use. Take another one.")
    }

    /// 404: an update, a body or an expiration of a document that has no record.
    public static var noRecord: StorageError {
        StorageError(.notFound, "The store has no such record. Look the document up again: it was removed.")
    }

    /// 412: an insert of a document that has a record.
    public static var recordExists: StorageError {
        StorageError(.exists, "The document has a record. Update it instead of inserting another.")
    }

    /// 495: an insert with a body other than `RecordDraft.BodyChange.replace`.
    public static var insertWithoutBody: StorageError {
        StorageError(.badParameter, "A new record has no old body. Insert it with a body of its own.")
    }

    /// 404: rows or entries of a missing index.
    public static func noIndex(_ name: String) -> StorageError {
        StorageError(.notFound, "There is no index '\(name)'. Make it with setIndexState first.")
    }

    /// 495: a call of `fillIndex` for an index that is not being filled.
    public static func indexIsNotFilling(_ name: String) -> StorageError {
        StorageError(.badParameter, "The index '\(name)' is not being filled. Say so in its state, or replace rows.")
    }

    /// 591: what `IndexSequenceSource.sequence(of:)` throws for a document that has no list of its rows.
    public static var rowsOfUnknownDocument: StorageError {
        .corrupt("An index has rows of a document that it does not know")
    }

    /// 495: a change cannot take `sequence`. It must be above `last`, the last one used, and at most 2^63 - 1.
    public static func notNext(_ sequence: UInt64, after last: some BinaryInteger) -> StorageError {
        StorageError(
            .badParameter,
            "Sequence \(sequence) is not above \(last), the last one used, or beyond all sequences. Take the next one."
        )
    }

    /// 495: `sequence` is that of no revision: it is above 2^63 - 1.
    public static func beyondAllSequences(_ sequence: UInt64) -> StorageError {
        StorageError(.badParameter, "Sequence \(sequence) is beyond all sequences. Pass the revision's own.")
    }

    /// - Throws: `notNext` if a change cannot take `sequence`.
    public static func requireNext(_ sequence: UInt64, after last: UInt64) throws(StorageError) {
        guard sequence > last, sequence <= UInt64(Int64.max) else { throw .notNext(sequence, after: last) }
    }

    /// - Throws: `badParameter` (495) if no revision can have `sequence`: it is above 2^63 - 1.
    public static func requireSequence(_ sequence: UInt64) throws(StorageError) {
        if sequence > UInt64(Int64.max) { throw .beyondAllSequences(sequence) }
    }
}
