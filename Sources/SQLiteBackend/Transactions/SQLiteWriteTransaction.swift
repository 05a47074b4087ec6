internal import StorageProtocol

/// The write transaction: SQLite's own, begun with IMMEDIATE.
final class SQLiteWriteTransaction: SQLiteReadTransaction, WriteTransaction {
    /// New records that have not been passed to SQLite yet. Created at the second insert.
    var pending: PendingInserts?
    /// The record number of the next insert, once it is known.
    var nextRecord: Int64?
    /// The counters including the changes of this transaction, once they are known.
    var known: StoreCounters?
    /// The change counter minus the last sequence before this transaction, once the counters are known.
    private var extra: Int64?
    var hasWritten = false
    var tookSequence = false
    /// The change counter that the commit will leave.
    var restoredCounter: Int64?
    /// The ID that was looked up last, if it was not found.
    var absent: DocumentID?
    /// The IDs that were not found when several were last looked up together.
    var absentOnes: Set<DocumentID> = []
    /// An ID that is not below any stored one. Looked up after some misses, so that IDs that come in order cost no
    /// look-up.
    var greatest: GreatestID = .unknown(misses: 0)
    /// The indexes that it has dropped.
    var droppedIndexes: [Int64] = []
    /// The data version of the file when the transaction began.
    private let dataVersion: DataVersion?
    /// The error because of which this transaction can only be rolled back.
    private var fault: StorageError?

    init(writing engine: SQLiteEngine, _ connection: Connection) {
        dataVersion = connection.dataVersion
        super.init(begun: engine, connection)
        guard let memory = connection.memory, memory.dataVersion == dataVersion else { return }
        known = memory.counters
        extra = memory.counters.extra
        greatest = memory.greatestID
    }

    // MARK: Ending

    func commit() throws(StorageError) {
        if let fault {
            finish()
            throw fault
        }
        try checkWrite()
        do {
            try flush()
            try writeCounters()
            try connection.run(.commit, "Committing")
        } catch {
            finish()
            throw error
        }
        remember()
        engine.didDropIndexes(droppedIndexes)
        if hasWritten { engine.didCommit(connection) }
        finish()
    }

    func rollback() { finish() }

    /// Stores what is known for the next write transaction. Called before the log is moved, which would include what
    /// another program has written since.
    private func remember() {
        connection.memory = nil
        guard let known, let extra, let version = connection.dataVersion(after: dataVersion) else { return }
        var after = known
        let (counter, isBeyond) = Int64(clamping: after.lastSequence).addingReportingOverflow(extra)
        guard !isBeyond, counter >= 0 else { return }
        after.changeCounter = UInt64(counter)
        connection.memory = WriterMemory(
            dataVersion: version,
            counters: after,
            greatestID: greatest
        )
    }

    override func release() {
        if connection.isInTransaction {
            // What cannot be undone now was never made valid in the log, so the next opening ignores it.
            try? connection.run(.rollback, "Rolling back")
        }
        engine.giveWriter(connection)
    }

    // MARK: Checks

    /// Throws if the transaction cannot write: if it is over or doomed, and inside a closure that reads through it.
    func checkWrite() throws(StorageError) {
        try check()
        if let fault { throw fault }
        if runningClosures > 0 {
            throw StorageError(
                .callback,
                "A closure that reads through a transaction must not write through it. Write after it has returned."
            )
        }
    }

    override func prepareToRead() throws(StorageError) {
        // After a failure SQLite may already have rolled back; further reads would show another state.
        if let fault { throw fault }
        try flush()
    }

    override func didFail(_ error: StorageError) {
        if error.code.isStorageFailure && fault == nil { fault = error }
    }

    func didWrite() { hasWritten = true }

    /// Steps a statement that yields no rows; a failure dooms the transaction.
    func run(_ query: Query, _ bind: (Statement) -> Void = { _ in }) throws(StorageError) {
        let statement = try connection.take(query)
        bind(statement)
        let isDone = statement.step() != nil
        let failure = isDone ? nil : connection.failure()
        connection.give(statement)
        if let failure {
            let error = failure.error("Writing to the database")
            didFail(error)
            throw error
        }
    }

    /// Adds a row, or replaces the one with the same key.
    ///
    /// - Parameter one: A single statement that does this. Used if pages are plain, because it is then cheaper.
    func put(
        _ one: Query.Fixed? = nil,
        changing change: Query.Fixed,
        adding add: Query.Fixed,
        _ bind: (Statement) -> Void
    ) throws(StorageError) {
        if let one, !connection.isEncrypted { return try run(Query(one), bind) }
        try run(Query(change), bind)
        if connection.changes == 0 { try run(Query(add), bind) }
    }

    // MARK: Counters

    /// The change counter stays that of the last commit until this transaction commits.
    override func counters() throws(StorageError) -> StoreCounters {
        try check()
        if let fault { throw fault }
        return try current()
    }

    func current() throws(StorageError) -> StoreCounters {
        if let known { return known }
        let counters = try readCounters()
        known = counters
        extra = counters.extra
        return counters
    }

    /// Writes the commit's changes of `counters`: nothing if it used a sequence.
    private func writeCounters() throws(StorageError) {
        guard hasWritten else { return }
        if engine.options.isBeingBuilt { return try writeAllCounters() }
        if tookSequence { return }
        if try current().changeCounter == UInt64(Int64.max) { throw .usedUp }
        try run(Query(.addExtra))
        extra = extra.map { $0 + 1 }
    }

    /// In a store that is being built, the row with the highest sequence need not be that of the last change.
    private func writeAllCounters() throws(StorageError) {
        let present = try current()
        let next = present.changeCounter.addingReportingOverflow(1)
        guard let last = Int64(exactly: present.lastSequence), let live = Int64(exactly: present.liveDocuments),
            let counter = restoredCounter ?? (next.overflow ? nil : Int64(exactly: next.partialValue))
        else { throw .usedUp }
        // Both are at least 0, so this cannot overflow.
        let rest = counter - last
        try run(Query(.setCounters)) { statement in
            statement.bind(last, 1)
            statement.bind(live, 2)
            statement.bind(rest, 3)
        }
        extra = rest
    }

    /// Checks the sequence of a record or entry to be added. It must be above all sequences used; in a store that is
    /// being built, any unused sequence will do.
    ///
    /// - Returns: The sequence in the form for SQLite.
    func checkNewSequence(_ sequence: UInt64) throws(StorageError) -> Int64 {
        guard engine.options.isBeingBuilt, sequence >= 1, try sequence <= current().lastSequence else {
            return try checkSequence(sequence)
        }
        let checked = Int64(clamping: sequence)
        var isUsed = pending?.contains(sequence: checked) ?? false
        if !isUsed {
            isUsed = try rowNow(Query(.sequenceUse), { $0.bind(checked, 1) }, { !$0.isNull(0) })
        }
        if isUsed { throw .sequenceInUse(sequence) }
        return checked
    }

    /// Checks that `sequence` is above every sequence used.
    ///
    /// - Returns: The sequence in the form for SQLite.
    func checkSequence(_ sequence: UInt64) throws(StorageError) -> Int64 {
        let last = try current().lastSequence
        // The change counter grows with the sequence, and must have room.
        guard sequence > last, let checked = Int64(exactly: sequence),
            engine.options.isBeingBuilt || !checked.addingReportingOverflow(extra ?? 0).overflow
        else {
            throw .notNext(sequence, after: last)
        }
        return checked
    }

    /// Returns the number of live documents after a change of one.
    ///
    /// - Parameters:
    ///   - old: The previous flags of its record; nil: it had none.
    ///   - new: The new flags of its record; nil: it no longer has one.
    func liveCount(from old: DocumentFlags?, to new: DocumentFlags?) throws(StorageError) -> Int64 {
        let change = (new.isLive ? 1 : 0) - (old.isLive ? 1 : 0)
        // The stored count has 63 bits.
        let (live, isBeyond) = Int64(clamping: try current().liveDocuments).addingReportingOverflow(Int64(change))
        if isBeyond || live < 0 {
            let error = StorageError.corrupt("The store's count of live documents is out of range")
            didFail(error)
            throw error
        }
        return live
    }

    /// Records that what was just written uses `sequence`.
    @inline(__always)
    func didTake(_ sequence: UInt64, live: Int64) {
        hasWritten = true
        tookSequence = true
        // In a store that is being built it may be lower.
        if let before = known?.lastSequence { known?.lastSequence = max(before, sequence) }
        known?.liveDocuments = UInt64(live)
    }

    /// A later record may get the number of a removed one.
    func didRemoveRecord() {
        nextRecord = nil
        latest = nil
    }

    // MARK: Inserting

    /// Passes the pending new records to SQLite.
    func flush() throws(StorageError) {
        guard let pending, pending.count > 0 else { return }
        try pending.write(in: self)
        if let nextRecord, connection.lastInsertedRow != nextRecord - 1 {
            let error = StorageError.corrupt("SQLite numbered new records out of order")
            didFail(error)
            throw error
        }
    }

    override func record(
        _ id: DocumentID,
        fields: RecordFields,
        _ body: (borrowing RecordView) throws(StorageError) -> Void
    ) throws(StorageError) -> Bool {
        try check()
        if let fault { throw fault }
        if try isAboveAll(id) {
            absent = id
            return false
        }
        if try isPending(id) { try flush() }
        let isThere = try recordNow(id, fields, body)
        if isThere {
            absent = nil
        } else {
            absent = id
            if case .unknown(let misses) = greatest { greatest = .unknown(misses: misses + 1) }
        }
        return isThere
    }

    override func records(
        ids: [DocumentID],
        fields: RecordFields,
        _ body: (_ place: Int, borrowing RecordView) throws(StorageError) -> Bool
    ) throws(StorageError) {
        absentOnes.removeAll(keepingCapacity: true)
        var absent = Set(ids)
        var isComplete = true
        try lookUp(ids, fields) { (place, record) throws(StorageError) in
            absent.remove(ids[place])
            isComplete = try body(place, record)
            return isComplete
        }
        if isComplete { absentOnes = absent }
    }

    /// Whether `id` is known to be above every stored one.
    func isAboveAll(_ id: DocumentID) throws(StorageError) -> Bool {
        if case .unknown(let misses) = greatest {
            guard misses >= GreatestID.missesBefore else { return false }
            try flush()
            greatest = try rowNow(
                Query(.greatestID),
                { _ in },
                { (row) throws(StorageError) in
                    row.isNull(0) ? .none : .id(try row.documentID(0))
                }
            )
        }
        switch greatest {
        case .unknown: return false
        case .none: return true
        case .id(let greatest): return greatest < id
        }
    }

    /// Returns the record of a document, from memory if it was the last one looked up or written.
    ///
    /// - Throws: `notFound` (404) if there is none.
    func existing(_ id: DocumentID) throws(StorageError) -> KnownRecord {
        if let latest, latest.id == id { return latest }
        try flush()
        let found = try unsafe id.withRawBytes { (bytes) throws(StorageError) in
            try rowNow(Query(.documentNumber), { unsafe $0.bindText(bytes, 1) }) { (row) throws(StorageError) in
                if row.isNull(0) { throw .noRecord }
                return try KnownRecord(id: id, number: row.integer(0), flags: row.integer(1))
            }
        }
        latest = found
        return found
    }

    private func isPending(_ id: DocumentID) throws(StorageError) -> Bool {
        guard let pending, pending.count > 0 else { return false }
        return try unsafe id.withRawBytes { id throws(StorageError) in unsafe pending.contains(id) }
    }
}

extension StoreCounters {
    /// The value of `extra` in the table `counters`. Both are below 2^63.
    fileprivate var extra: Int64 { Int64(changeCounter) - Int64(lastSequence) }
}

extension DocumentFlags? {
    /// Whether a record with these flags is a live document.
    fileprivate var isLive: Bool { map { !$0.contains(.deleted) } ?? false }
}

extension StorageError {
    static var impossibleCount: StorageError {
        StorageError(.badParameter, "A count is beyond 2^63, more than a database can hold. Pass the true count.")
    }

    fileprivate static var usedUp: StorageError { .corrupt("The store's change counter is used up") }
}
