internal import SetteeEngine
internal import StorageProtocol

/// The next step to bring indexes up to date, computed from one snapshot.
struct IndexStep {
    /// Targets without an index, or with one that is still being filled.
    private(set) var unfilled: [IndexTarget] = []
    /// Whether another process fills one of them.
    private(set) var isFilledElsewhere = false
    /// The targets of the chunk.
    private(set) var targets: [IndexTarget] = []
    /// What to map; nil: there is nothing left to do.
    private(set) var chunk: DocumentChunk?
    /// The last sequence of the snapshot.
    let last: UInt64
    /// Where the whole update ends. It is fixed because writers may go on forever.
    let goal: UInt64

    /// - Parameters:
    ///   - goal: the goal of the previous step; nil: this is the first.
    ///   - expecting: the last sequence that each index, by name, will have seen once pending writes are done.
    init(
        _ names: [IndexName],
        of database: Database,
        in transaction: any ReadTransaction,
        goal: UInt64?,
        expecting: [String: UInt64]
    ) throws(StorageError) {
        last = try database.lastSequence(in: transaction)
        self.goal = goal ?? last
        for name in names {
            let target = try IndexTarget(name, of: database, in: transaction, expecting: expecting)
            if target.isFilledElsewhere { isFilledElsewhere = true }
            if target.entry == nil || target.lastSequence < target.fresh && !database.isWriting {
                unfilled.append(target)
            } else if target.lastSequence < self.goal || !target.isComplete {
                targets.append(target)
            }
        }
        guard unfilled.isEmpty, let start = targets.map(\.lastSequence).min() else { return }
        // Up to this sequence, documents are known to be new in an index created in this transaction; later ones must
        // be looked up.
        let end = targets.filter { $0.lastSequence < $0.fresh }.map(\.fresh).min() ?? last
        guard start < min(end, last) else {
            chunk = DocumentChunk(bytes: [], entries: [], last: max(start, last))
            return
        }
        chunk = try ChunkReader.read(start + 1...min(end, last), for: targets.map(\.mapper), in: transaction)
    }
}
