internal import StorageProtocol

/// One write transaction in progress: the store's transaction, and what of its counters is not written yet.
final class WriteSession {
    /// The store's transaction, all that the session did in it. Whoever reads or writes through it sees what was saved;
    /// it is good until the session saves the next revision.
    var transaction: any WriteTransaction {
        get throws(StorageError) {
            if pending != nil { try settle() }
            return direct
        }
    }
    /// The store's transaction as it stands, perhaps without `pending`: for what has nothing to do with that record.
    let direct: any WriteTransaction
    /// What the store has not been told of the latest document.
    var pending: PendingUpdate?
    let database: Database
    private var loaded: StoreCounters?
    private var depth: Int?
    /// How many changes were made, so that a refusal before any can be told from a failure halfway.
    private(set) var changes = 0
    /// The soonest expiry that was set.
    private(set) var soonestExpiry: Int64?
    /// The document that was changed last, as it is now: often the next change is of the same one.
    var latest: (id: DocumentID, stored: DocumentWriter.Stored)?
    /// Whether indexes were dropped that take space still.
    var hasDroppedIndexes = false
    /// What observers are told after the commit.
    var announced = AnnouncedChanges()
    /// Why this transaction can only be rolled back.
    private(set) var doom: (any Error)?
    /// Who wants to know how this transaction ended.
    private var endings: [(Bool) -> Void] = []

    init(_ transaction: any WriteTransaction, of database: Database) {
        direct = transaction
        self.database = database
    }

    /// The counters as of now, the changes of this transaction included.
    func counters() throws(StorageError) -> StoreCounters {
        if let loaded { return loaded }
        let fresh = try direct.counters()
        loaded = fresh
        return fresh
    }

    /// The store's change counter before this transaction, where it was asked for.
    var knownChangeCounter: UInt64? { loaded?.changeCounter }

    /// The sequence that the next change takes.
    func followingSequence() throws(StorageError) -> UInt64 {
        let last = try counters().lastSequence
        guard last < UInt64(Int64.max) else { throw .corrupt("The store's last sequence is out of range") }
        return last + 1
    }

    /// Takes the next sequence and says how many live documents there are with the change that takes it.
    func nextSequence(liveChange: Int) throws(StorageError) -> (sequence: UInt64, liveCount: UInt64) {
        var now = try counters()
        let sequence = try followingSequence()
        let (live, isImpossible) = now.liveDocuments.addingReportingOverflow(UInt64(bitPattern: Int64(liveChange)))
        guard isImpossible == (liveChange < 0), live <= UInt64(Int64.max) else {
            throw .corrupt("The store's document count is out of range")
        }
        now.lastSequence = sequence
        now.liveDocuments = live
        loaded = now
        changes += 1
        announced.took(now.lastSequence)
        return (now.lastSequence, now.liveDocuments)
    }

    /// Takes a given sequence, above all that are used, and says how many live documents there are with the change that
    /// takes it.
    func take(sequence: UInt64, liveChange: Int) throws(StorageError) -> UInt64 {
        var now = try counters()
        guard sequence > now.lastSequence, sequence <= UInt64(Int64.max) else {
            throw StorageError(.badParameter, "The sequence \(sequence) is not above the last one.")
        }
        now.lastSequence = sequence - 1
        loaded = now
        return try nextSequence(liveChange: liveChange).liveCount
    }

    /// How many revisions of its own line each leaf keeps.
    func maximumDepth() throws(StorageError) -> Int {
        if let depth { return depth }
        let loaded = try Database.maximumRevisionTreeDepth(in: direct)
        depth = loaded
        return loaded
    }

    /// Stores how many revisions of its own line each leaf keeps from now on.
    func setMaximumDepth(_ depth: Int) throws(StorageError) {
        noteChange()
        try transaction.setInfo(Array(String(depth).utf8), for: Database.revisionTreeDepthKey)
        self.depth = depth
    }

    /// Notes a change that takes no sequence.
    func noteChange() { changes += 1 }

    /// Notes an expiry, for the timer to know once it is committed.
    func noteExpiry(at time: Int64) { soonestExpiry = min(soonestExpiry ?? time, time) }

    /// Makes sure the transaction is rolled back in the end. The first reason stays.
    func doom(by error: any Error) {
        if doom == nil { doom = error }
    }

    func whenEnded(_ body: @escaping (_ committed: Bool) -> Void) { endings.append(body) }

    /// Tells all that wanted to know; after a rollback the last one first.
    func end(committed: Bool) {
        let waiting = endings
        endings = []
        if committed { waiting.forEach { $0(true) } } else { waiting.reversed().forEach { $0(false) } }
    }

    /// Runs one change; whatever fails after it began to write, or in the store itself, dooms the transaction.
    func attempt<R>(_ change: () throws(StorageError) -> R) throws(StorageError) -> R {
        let before = changes
        do {
            return try change()
        } catch {
            if changes != before || error.code.isStorageFailure { doom(by: error) }
            throw error
        }
    }
}
