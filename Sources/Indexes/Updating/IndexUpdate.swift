internal import SetteeEngine
internal import StorageProtocol

/// The change of one write transaction to an index: it replaces the rows of documents and advances the last sequence
/// seen.
struct IndexUpdate {
    private let target: IndexTarget
    private let session: WriteSession
    private var record: IndexRecord
    private let place: Int
    private var state: IndexState
    private var changes: RowChanges

    /// - Parameter expected: the last sequence that the index must have seen.
    /// - Returns: nil if another process was faster, a rollback moved the index back, or the index no longer exists.
    init?(_ target: IndexTarget, expecting expected: UInt64, in session: WriteSession) throws(StorageError) {
        guard let record = try IndexRecord.load(target.name, in: session.transaction), let entry = target.entry,
            let place = record.entries.firstIndex(where: { $0.index == entry.index }),
            let state = try session.transaction.indexState(entry.index), state.lastSequence == expected
        else { return nil }
        self.target = target
        self.session = session
        self.record = record
        self.place = place
        self.state = state
        changes = RowChanges(recordsPositions: record.derived != nil)
        session.noteChange()
    }

    private var index: String { record.entries[place].index }

    /// Replaces the rows of some documents.
    ///
    /// - Parameter areNew: none of them has rows.
    mutating func replace(_ batch: IndexBatch, areNew: Bool) throws(StorageError) {
        if batch.isEmpty { return }
        try session.transaction.replaceIndexRows(index, by: [batch], areNew: areNew, changes: &changes)
    }

    /// Stores how far the index is.
    ///
    /// - Parameter isCurrent: whether the index has seen everything. If it replaces another index, it is complete now.
    /// - Returns: the last sequence that it has seen.
    mutating func finish(at sequence: UInt64, isCurrent: Bool) throws(StorageError) -> UInt64 {
        let transaction = try session.transaction
        if changes.recordsPositions, changes.documents > 0 { try updateDerivedEntries() }
        state.lastSequence = max(state.lastSequence, sequence)
        if changes.documents > 0 { state.lastChangedSequence = state.lastSequence }
        try transaction.setIndexState(index, state)
        if isCurrent, !record.entries[place].isComplete {
            try record.complete(place, in: session)
            try record.store(target.name, in: session)
        }
        return state.lastSequence
    }

    private func updateDerivedEntries() throws(StorageError) {
        if let derived = target.mapper.derivedEntries {
            try derived.update(index, after: changes, in: session)
        } else {
            // The entries are from another program's mapper.
            try session.removeAllIndexEntries(index)
        }
    }
}
