internal import StorageProtocol

/// An index that is being brought up to date, as one snapshot shows it.
struct IndexTarget {
    let name: ViewName
    let function: ViewFunction
    let collation: String
    /// Nil: it has to be made.
    let entry: ViewRecord.Entry?
    /// The last sequence that it has seen.
    let lastSequence: UInt64

    var isComplete: Bool { entry?.isComplete ?? false }
    /// Documents up to this sequence have no rows yet where they come for the first time.
    var fresh: UInt64 { entry?.fresh ?? 0 }
    var work: ChunkMapper.Work { ChunkMapper.Work(function: function, after: lastSequence) }

    /// - Throws: `notFound` (404) where there is no map function, `superseded` (412).
    init(
        _ name: ViewName,
        of database: Database,
        in transaction: any ReadTransaction,
        expecting: [String: UInt64]
    ) throws(StorageError) {
        guard let function = try database.viewFunction(name, in: transaction) else {
            throw IndexTarget.noFunction(name)
        }
        let record = try ViewRecord.load(name, in: transaction)
        try ViewClaim.check(function, record, name)
        let collation = try database.collationVersion(function.collation)
        let entry = record?.entry(collation: collation)
        var seen: UInt64 = 0
        if let entry {
            guard let state = try transaction.indexState(entry.index) else {
                throw .corrupt("The index of view '\(name.string)' is missing; delete the view's index")
            }
            seen = max(state.lastSequence, expecting[entry.index] ?? 0)
        }
        self.name = name
        self.function = function
        self.collation = collation
        self.entry = entry
        lastSequence = seen
    }

    static func noFunction(_ name: ViewName) -> StorageError {
        StorageError(
            .notFound,
            """
            The view '\(name.string)' has no map function here: set it with `setMap` each time the database is opened, or \
            store a definition. What was built before can be read with `update: .never`.
            """
        )
    }

    /// Makes the index, empty.
    func create(in session: WriteSession, of database: Database) throws(StorageError) {
        var record = try ViewRecord.load(name, in: session.transaction) ?? ViewRecord(version: function.version)
        try ViewClaim.check(function, record, name)
        guard record.entry(collation: collation) == nil else { return }
        let entry = ViewRecord.Entry(
            index: try IndexTarget.newName(in: session.transaction),
            version: function.version,
            collation: collation,
            isComplete: false,
            fresh: try session.counters().lastSequence
        )
        record.entries.append(entry)
        record.reduce = function.reduce?.identity
        session.noteChange()
        try session.transaction.setIndexState(
            entry.index,
            IndexState(version: function.version.text, collationVersion: collation)
        )
        try record.store(name, in: session)
    }

    /// A name that no index has.
    private static func newName(in transaction: any ReadTransaction) throws(StorageError) -> String {
        while true {
            let digits = String(UInt64.random(in: 0 ... .max), radix: 16)
            let name = ViewRecord.indexPrefix + String(repeating: "0", count: 16 - digits.count) + digits
            if try transaction.indexState(name) == nil { return name }
        }
    }

    /// Removes the parts of reductions that the changed rows were in.
    private func discardSummaries(
        for changes: RowChanges,
        of index: String,
        in transaction: any WriteTransaction
    ) throws(StorageError) {
        if let reduce = function.reduce {
            try ReductionTree(index: index, reduce: reduce).discardSummaries(for: changes, in: transaction)
        } else {
            // They are of another program's function.
            try transaction.removeIndexSummaries(index, in: .all)
        }
    }

    /// Takes the rows of a chunk, unless another process or a rollback was quicker.
    ///
    /// - Parameter last: the last sequence of the snapshot that the chunk was read from.
    /// - Returns: whether they were taken.
    func apply(
        _ batches: [IndexBatch],
        of chunk: DocumentChunk,
        upTo last: UInt64,
        in session: WriteSession
    ) throws(StorageError) -> Bool {
        let transaction = session.transaction
        guard var record = try ViewRecord.load(name, in: transaction), let entry,
            let place = record.entries.firstIndex(where: { $0.index == entry.index }),
            var state = try transaction.indexState(entry.index), state.lastSequence == lastSequence
        else { return false }
        session.noteChange()
        let isReduced = record.reduce != nil
        var changes = RowChanges(recordsPositions: isReduced)
        if !batches.isEmpty {
            try transaction.replaceIndexRows(
                entry.index,
                by: batches,
                areNew: lastSequence < fresh && chunk.last <= fresh,
                changes: &changes
            )
        }
        if isReduced, changes.documents > 0 { try discardSummaries(for: changes, of: entry.index, in: transaction) }
        state.lastSequence = max(state.lastSequence, chunk.last)
        if changes.documents > 0 { state.lastChangedSequence = state.lastSequence }
        try transaction.setIndexState(entry.index, state)
        guard !entry.isComplete, chunk.last >= last else { return true }
        // It has caught up: what it replaces can go.
        record.entries[place].isComplete = true
        for old in record.entries where old.collation == collation && old.version != entry.version {
            try transaction.dropIndex(old.index)
        }
        record.entries.removeAll { $0.collation == collation && $0.version != entry.version }
        try record.store(name, in: session)
        return true
    }
}
