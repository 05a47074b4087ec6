internal import SetteeDocumentValues
package import StorageProtocol

/// A write transaction in progress: the store's transaction, and the counters that are not written yet.
package final class WriteSession {
    /// The store's transaction, with everything that the session did. Reads and writes through it see what was saved.
    /// It is valid until the session saves the next revision.
    package var transaction: any WriteTransaction {
        get throws(StorageError) {
            if pending != nil { try settle() }
            return try direct
        }
    }
    /// The store's transaction, perhaps without `pending`: for work that does not depend on that record.
    package var direct: any WriteTransaction {
        get throws(StorageError) {
            if !inserts.isEmpty { try insertGathered() }
            return base
        }
    }
    private let base: any WriteTransaction
    /// Whether new records are collected and written to the store many at a time, at the latest before the next read.
    package var gathersInserts = false
    private var inserts: [RecordDraft] = []
    private var gatheredBytes = 0
    /// The update of the latest document that the store does not have yet.
    var pending: PendingUpdate?
    /// The generation that is written to.
    package let generation: OpenGeneration
    package let database: Database
    /// The store's counters. The last sequence is that of the latest change, whether the store has it or not.
    private var loaded: StoreCounters?
    /// The last sequence before this transaction, if it was read.
    private var sequenceBefore: UInt64?
    /// How many records this transaction has added, less those that it has purged.
    private var recordsAdded: Int64 = 0
    private var depth: Int?
    /// How many changes were made. Distinguishes a refusal before any change from a failure halfway.
    private(set) var changes = 0
    /// The earliest expiry that was set.
    private(set) var soonestExpiry: Int64?
    /// The document that was changed last, in its current state: the next change is often of the same one.
    var latest: (id: DocumentID, tree: RevisionTree)?
    /// Whether dropped indexes or removed entries still take space.
    package var hasDroppedIndexes = false
    /// The changes that observers get after the commit.
    var announced = AnnouncedChanges()
    /// Why this transaction can only be rolled back.
    package private(set) var doom: (any Error)?
    /// Records what the session does; nil: nothing is recorded.
    var trace: TransactionTrace?
    /// Closures to be called with the outcome of this transaction.
    private var endings: [(Bool) -> Void] = []

    init(_ transaction: any WriteTransaction, in generation: OpenGeneration, of database: Database) {
        base = transaction
        self.generation = generation
        self.database = database
    }

    /// The current counters, including the changes of this transaction.
    func counters() throws(StorageError) -> StoreCounters { try transaction.counters() }

    /// The highest used sequence, including the changes of this transaction.
    package func lastSequence() throws(StorageError) -> UInt64 {
        if let loaded { return loaded.lastSequence }
        let fresh = try direct.counters()
        loaded = fresh
        sequenceBefore = fresh.lastSequence
        return fresh.lastSequence
    }

    /// The store's change counter before this transaction, if it was read.
    var knownChangeCounter: UInt64? { loaded?.changeCounter }

    /// Tells how many documents there are now, once this transaction is committed.
    func tell(_ count: RecordCount) {
        guard let sequenceBefore, let loaded else { return }
        count.committed(from: sequenceBefore, to: loaded.lastSequence, added: recordsAdded)
    }

    /// The sequence of the next change.
    func followingSequence() throws(StorageError) -> UInt64 {
        let last = try lastSequence()
        guard last < UInt64(Int64.max) else { throw .corrupt("The store's last sequence is out of range") }
        return last + 1
    }

    /// Takes the next sequence.
    package func nextSequence() throws(StorageError) -> UInt64 {
        let sequence = try followingSequence()
        take(sequence)
        return sequence
    }

    /// Takes the given sequence, which must be above all used ones.
    package func take(sequence: UInt64) throws(StorageError) {
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

    /// Marks all sequences up to this one as used.
    package func raiseLastSequence(to sequence: UInt64) throws(StorageError) {
        guard try sequence > lastSequence() else { return }
        try transaction.raiseLastSequence(to: sequence)
        take(sequence)
    }

    /// Adds a record. The store may get it later.
    func insert(_ draft: RecordDraft) throws(StorageError) {
        recordsAdded += 1
        guard gathersInserts, pending == nil else { return try transaction.insert(draft) }
        if case .replace(let body) = draft.body { gatheredBytes += body.count + draft.tree.count }
        inserts.append(draft)
        if inserts.count == WriteSession.insertsAtOnce || gatheredBytes > WriteSession.mostGatheredBytes {
            try insertGathered()
        }
    }

    /// Removes a record.
    func purge(_ id: DocumentID, sequence: UInt64) throws(StorageError) {
        try transaction.purge(id, sequence: sequence)
        recordsAdded -= 1
    }

    private static let insertsAtOnce = 1000
    private static let mostGatheredBytes = 1 << 20

    /// - Throws: what the store throws or refuses. The transaction can then only be rolled back, because the call that
    ///   added the record has already returned.
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

    /// Notes an expiry, which the timer gets once it is committed.
    package func noteExpiry(at time: Int64) { soonestExpiry = min(soonestExpiry ?? time, time) }

    /// Makes the transaction end with a rollback. The first reason is kept.
    func doom(by error: any Error) {
        if doom == nil { doom = error }
    }

    package func whenEnded(_ body: @escaping (_ committed: Bool) -> Void) { endings.append(body) }

    /// Calls all closures that want the outcome; after a rollback in reverse order.
    func end(committed: Bool) {
        let waiting = endings
        endings = []
        if committed { waiting.forEach { $0(true) } } else { waiting.reversed().forEach { $0(false) } }
    }

    /// Runs one change. A failure after it began to write, or of the store itself, dooms the transaction.
    package func attempt<R>(_ change: () throws(StorageError) -> R) throws(StorageError) -> R {
        let before = changes
        trace?.begin()
        do {
            return try change()
        } catch {
            if changes != before || error.code.isStorageFailure { doom(by: error) }
            throw error
        }
    }
}
