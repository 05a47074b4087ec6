internal import StorageProtocol

/// The write transaction: SQLite's own, begun IMMEDIATE.
final class SQLiteWriteTransaction: SQLiteReadTransaction, WriteTransaction {
    /// New records on their way to SQLite. Made with the second insert.
    private(set) var pending: PendingInserts?
    /// The record number that the next insert gets, once it is known.
    private var nextRecord: Int64?
    /// Counters with what this transaction has written, once they are known.
    private var known: StoreCounters?
    /// The same before anything was written.
    private var start: StoreCounters?
    private var hasWritten = false
    private var tookSequence = false
    /// The record that was looked up or written last.
    var latest: KnownRecord?
    /// The ID that was looked up last, and is not there.
    private var absent: DocumentID?
    /// An ID that no stored one is above; looked up after some misses, so that IDs that come in order cost no look-up.
    private var greatest: GreatestID = .unknown(misses: 0)
    /// The indexes that it has dropped.
    var droppedIndexes: [Int64] = []
    /// Why this transaction can only be rolled back.
    private var fault: StorageError?

    init(writing engine: SQLiteEngine, _ connection: Connection) {
        super.init(begun: engine, connection)
        guard let memory = connection.memory, memory.dataVersion == connection.dataVersion else { return }
        known = memory.counters
        start = memory.counters
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
            if hasWritten && !tookSequence { try run(Query(.addExtra)) }
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

    /// Leaves what is known to the next write transaction. Called before the log is moved, which would let in what another
    /// program has written since.
    private func remember() {
        connection.memory = nil
        guard let known, let start, let version = connection.dataVersion else { return }
        var after = known
        let extra = start.changeCounter - start.lastSequence + (hasWritten && !tookSequence ? 1 : 0)
        after.changeCounter = after.lastSequence + extra
        connection.memory = WriterMemory(
            dataVersion: version,
            counters: after,
            greatestID: greatest
        )
    }

    override func release() {
        if connection.isInTransaction {
            // What cannot be undone now was never made valid in the log: the next opening ignores it.
            try? connection.run(.rollback, "Rolling back")
        }
        engine.giveWriter(connection)
    }

    // MARK: Checks

    /// Throws where the transaction cannot write: when it is over or doomed, and inside a closure that reads through it.
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
        // After a failure SQLite may have rolled back already; reading on would show another state.
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

    // MARK: Counters

    /// The change counter stays that of the last commit until this one.
    override func counters() throws(StorageError) -> StoreCounters {
        try check()
        if let fault { throw fault }
        return try current()
    }

    private func current() throws(StorageError) -> StoreCounters {
        if let known { return known }
        let counters = try readCounters()
        known = counters
        if !hasWritten { start = counters }
        return counters
    }

    /// Checks that `sequence` is above every one used.
    ///
    /// - Returns: it as SQLite takes it.
    func checkSequence(_ sequence: UInt64) throws(StorageError) -> Int64 {
        let last = try current().lastSequence
        guard sequence > last, let checked = Int64(exactly: sequence) else {
            throw StorageError(
                .badParameter,
                "Sequence \(sequence) is not above \(last), the last one used, or beyond all sequences. Take the next one."
            )
        }
        return checked
    }

    /// How many live documents there are with a change of one.
    ///
    /// - Parameters:
    ///   - old: the flags of its record before; nil: it had none.
    ///   - new: the flags of its record then; nil: it has none any more.
    func liveCount(from old: DocumentFlags?, to new: DocumentFlags?) throws(StorageError) -> Int64 {
        let change = (new.isLive ? 1 : 0) - (old.isLive ? 1 : 0)
        // What was read has 63 bits.
        let (live, isBeyond) = Int64(clamping: try current().liveDocuments).addingReportingOverflow(Int64(change))
        if isBeyond || live < 0 {
            let error = StorageError.corrupt("The store's count of live documents is out of range")
            didFail(error)
            throw error
        }
        return live
    }

    /// Notes that what was just written took `sequence`.
    @inline(__always)
    func didTake(_ sequence: UInt64, live: Int64) {
        hasWritten = true
        tookSequence = true
        known?.lastSequence = sequence
        known?.liveDocuments = UInt64(live)
    }

    /// A later record may get the number of one that was removed.
    func didRemoveRecord() {
        nextRecord = nil
        latest = nil
    }

    // MARK: Inserting

    /// Gives the new records that wait to SQLite.
    func flush() throws(StorageError) {
        guard let pending, pending.count > 0 else { return }
        defer { pending.removeAll() }
        if pending.isFull {
            try run(Query(.insertMany)) { statement in
                for row in 0..<Query.rowsAtOnce { pending.bind(row, to: statement, from: Int32(row * 7 + 1)) }
            }
        } else {
            for row in 0..<pending.count {
                try run(Query(.insert)) { pending.bind(row, to: $0, from: 1) }
            }
        }
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
        var number: Int64 = 0
        var flags: Int64 = 0
        let note = { (row: Statement) in
            number = row.integer(0)
            flags = row.integer(3)
        }
        let isThere = try recordNow(id, fields, note: note, body)
        if isThere {
            absent = nil
            latest = KnownRecord(id: id, number: number, flags: DocumentFlags(rawValue: UInt8(clamping: flags)))
        } else {
            absent = id
            if case .unknown(let misses) = greatest { greatest = .unknown(misses: misses + 1) }
        }
        return isThere
    }

    /// Whether `id` is known to be above every stored one.
    private func isAboveAll(_ id: DocumentID) throws(StorageError) -> Bool {
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

    /// The record of a document, from memory where it was looked up or written last.
    ///
    /// - Throws: `notFound` (404) where there is none.
    func existing(_ id: DocumentID) throws(StorageError) -> KnownRecord {
        if let latest, latest.id == id { return latest }
        try flush()
        let found = try unsafe id.withRawBytes { (bytes) throws(StorageError) in
            try rowNow(Query(.documentNumber), { unsafe $0.bindText(bytes, 1) }) { (row) throws(StorageError) in
                if row.isNull(0) { throw .noRecord }
                guard let flags = UInt8(exactly: row.integer(1)) else {
                    throw .corrupt("A stored record has flags out of range")
                }
                return KnownRecord(id: id, number: row.integer(0), flags: DocumentFlags(rawValue: flags))
            }
        }
        latest = found
        return found
    }

    private func isPending(_ id: DocumentID) throws(StorageError) -> Bool {
        guard let pending, pending.count > 0 else { return false }
        return try unsafe id.withRawBytes { id throws(StorageError) in unsafe pending.contains(id) }
    }

    func insert(_ draft: borrowing RecordDraft) throws(StorageError) {
        try checkWrite()
        let sequence = try checkSequence(draft.sequence)
        guard case .replace(let body) = draft.body else {
            throw StorageError(.badParameter, "A new record has no old body. Insert it with a body of its own.")
        }
        let id = draft.documentID
        if absent != id, try record(id, fields: .metadata, { (_) throws(StorageError) in }) {
            throw StorageError(.exists, "The document has a record. Update it instead of inserting another.")
        }
        absent = nil
        let live = try liveCount(from: nil, to: draft.flags)
        if try isAboveAll(id) { greatest = .id(id) }
        let tree = draft.tree
        let flags = Int64(draft.flags.rawValue)
        let winner = draft.winner
        let number = try unsafe id.withRawBytes { (id) throws(StorageError) in
            try winner.withText { (winner) throws(StorageError) in
                try unsafe winner.withUnsafeBytes { (winner) throws(StorageError) in
                    try unsafe tree.withRawBytes { (tree) throws(StorageError) in
                        try unsafe body.withRawBytes { (body) throws(StorageError) in
                            try unsafe insert(sequence, flags, live, id, winner, tree, body)
                        }
                    }
                }
            }
        }
        latest = KnownRecord(id: id, number: number, flags: draft.flags)
        didTake(draft.sequence, live: live)
    }

    /// Puts a record among those that wait, or gives it to SQLite at once: where it is large, and where it is the first,
    /// which tells the numbers of those that follow.
    @unsafe
    private func insert(
        _ sequence: Int64,
        _ flags: Int64,
        _ live: Int64,
        _ id: UnsafeRawBufferPointer,
        _ winner: UnsafeRawBufferPointer,
        _ tree: UnsafeRawBufferPointer,
        _ body: UnsafeRawBufferPointer
    ) throws(StorageError) -> Int64 {
        if let record = nextRecord, id.count + winner.count + tree.count + body.count <= PendingInserts.largest {
            let pending = self.pending ?? PendingInserts()
            self.pending = pending
            unsafe pending.append(
                sequence: sequence,
                flags: flags,
                live: live,
                id: id,
                revision: winner,
                tree: tree,
                body: body
            )
            nextRecord = record + 1
            if pending.isFull { try flush() }
            return record
        }
        try flush()
        try run(Query(.insert)) { statement in
            unsafe statement.bindText(id, 1)
            statement.bind(sequence, 2)
            statement.bind(flags, 3)
            statement.bind(live, 4)
            unsafe statement.bindText(winner, 5)
            unsafe statement.bindBlob(tree, 6)
            unsafe statement.bindText(body, 7)
        }
        let record = connection.lastInsertedRow
        guard record > 0, record < Int64.max - 1 << 32 else {
            let error = StorageError.corrupt("The record numbers are used up")
            didFail(error)
            throw error
        }
        nextRecord = record + 1
        return record
    }
}

extension DocumentFlags? {
    /// Whether a record with these flags is a live document.
    fileprivate var isLive: Bool { map { !$0.contains(.deleted) } ?? false }
}

extension StorageError {
    static var impossibleCount: StorageError {
        StorageError(.badParameter, "A count is beyond 2^63, more than a database can hold. Pass the true count.")
    }
}
