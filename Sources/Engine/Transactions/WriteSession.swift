internal import SetteeDocumentValues
package import StorageProtocol

/// One write transaction in progress: the store's transaction, and what of its counters is not written yet.
package final class WriteSession {
    /// The store's transaction, all that the session did in it. Whoever reads or writes through it sees what was saved;
    /// it is good until the session saves the next revision.
    package var transaction: any WriteTransaction {
        get throws(StorageError) {
            if pending != nil { try settle() }
            return try direct
        }
    }
    /// The store's transaction, perhaps without `pending`: for what has nothing to do with that record.
    var direct: any WriteTransaction {
        get throws(StorageError) {
            if !inserts.isEmpty { try insertGathered() }
            return base
        }
    }
    private let base: any WriteTransaction
    /// Whether new records are gathered until somebody looks, and go to the store many at a time.
    var gathersInserts = false
    private var inserts: [RecordDraft] = []
    private var gatheredBytes = 0
    /// What the store has not been told of the latest document.
    var pending: PendingUpdate?
    /// The generation that is written to.
    let generation: OpenGeneration
    package let database: Database
    /// The store's counters; the last sequence is that of the latest change, told to the store or not.
    private var loaded: StoreCounters?
    private var depth: Int?
    /// How many changes were made, so that a refusal before any can be told from a failure halfway.
    private(set) var changes = 0
    /// The soonest expiry that was set.
    private(set) var soonestExpiry: Int64?
    /// The document that was changed last, as it is now: often the next change is of the same one.
    var latest: (id: DocumentID, tree: RevisionTree)?
    /// Whether indexes were dropped, or entries removed, that take space still.
    package var hasDroppedIndexes = false
    /// What observers are told after the commit.
    var announced = AnnouncedChanges()
    /// Why this transaction can only be rolled back.
    private(set) var doom: (any Error)?
    /// Who wants to know how this transaction ended.
    private var endings: [(Bool) -> Void] = []

    init(_ transaction: any WriteTransaction, in generation: OpenGeneration, of database: Database) {
        base = transaction
        self.generation = generation
        self.database = database
    }

    /// The counters as of now, the changes of this transaction included.
    func counters() throws(StorageError) -> StoreCounters { try transaction.counters() }

    /// The highest sequence that is used, the changes of this transaction included.
    package func lastSequence() throws(StorageError) -> UInt64 {
        if let loaded { return loaded.lastSequence }
        let fresh = try direct.counters()
        loaded = fresh
        return fresh.lastSequence
    }

    /// The store's change counter before this transaction, where it was asked for.
    var knownChangeCounter: UInt64? { loaded?.changeCounter }

    /// The sequence that the next change takes.
    func followingSequence() throws(StorageError) -> UInt64 {
        let last = try lastSequence()
        guard last < UInt64(Int64.max) else { throw .corrupt("The store's last sequence is out of range") }
        return last + 1
    }

    /// Takes the next sequence.
    func nextSequence() throws(StorageError) -> UInt64 {
        let sequence = try followingSequence()
        take(sequence)
        return sequence
    }

    /// Takes a given sequence, above all that are used.
    func take(sequence: UInt64) throws(StorageError) {
        guard try sequence > lastSequence(), sequence <= UInt64(Int64.max) else {
            throw StorageError(.badParameter, "The sequence \(sequence) is not above the last one.")
        }
        take(sequence)
    }

    private func take(_ sequence: UInt64) {
        loaded?.lastSequence = sequence
        changes += 1
        announced.took(sequence)
    }

    /// Sees to it that no sequence up to this one is given out any more.
    func raiseLastSequence(to sequence: UInt64) throws(StorageError) {
        guard try sequence > lastSequence() else { return }
        try transaction.raiseLastSequence(to: sequence)
        take(sequence)
    }

    /// Adds a record, in the store perhaps later.
    func insert(_ draft: RecordDraft) throws(StorageError) {
        guard gathersInserts, pending == nil else { return try transaction.insert(draft) }
        if case .replace(let body) = draft.body { gatheredBytes += body.count + draft.tree.count }
        inserts.append(draft)
        if inserts.count == WriteSession.insertsAtOnce || gatheredBytes > WriteSession.mostGatheredBytes {
            try insertGathered()
        }
    }

    private static let insertsAtOnce = 1000
    private static let mostGatheredBytes = 1 << 20

    /// - Throws: what the store throws, or refuses. The transaction can then only be rolled back: the call that added
    ///   the record has returned.
    private func insertGathered() throws(StorageError) {
        let changes = inserts.map { RecordChange.insert($0) }
        inserts.removeAll(keepingCapacity: true)
        gatheredBytes = 0
        do throws(StorageError) {
            let refusal = try base.apply(changes).lazy.compactMap(\.self).first
            if let refusal { throw refusal }
        } catch {
            doom(by: error)
            throw error
        }
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
    package func noteChange() { changes += 1 }

    /// Notes an expiry, for the timer to know once it is committed.
    func noteExpiry(at time: Int64) { soonestExpiry = min(soonestExpiry ?? time, time) }

    /// Makes sure the transaction is rolled back in the end. The first reason stays.
    func doom(by error: any Error) {
        if doom == nil { doom = error }
    }

    package func whenEnded(_ body: @escaping (_ committed: Bool) -> Void) { endings.append(body) }

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
