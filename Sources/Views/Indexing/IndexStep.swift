internal import SetteeEngine
internal import StorageProtocol

/// What is to be done next to bring indexes up to date, as one snapshot shows it.
struct IndexStep {
    /// Those that have no index yet, or one that is to be filled on.
    private(set) var unfilled: [IndexTarget] = []
    /// Whether another process fills one of them.
    private(set) var isFilledElsewhere = false
    /// Those that the chunk is for.
    private(set) var targets: [IndexTarget] = []
    /// What is to be mapped; nil: there is nothing to do any more.
    private(set) var chunk: DocumentChunk?
    /// The last sequence of the snapshot.
    let last: UInt64
    /// Where the whole update ends: writers may go on for ever.
    let goal: UInt64

    /// - Parameters:
    ///   - goal: that of the step before; nil: this is the first.
    ///   - expecting: how far indexes will be, by their names, once what is being written is there.
    init(
        _ names: [ViewName],
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
        // Up to there, documents are known to be new in an index of this transaction; beyond, they must be looked up.
        let end = targets.filter { $0.lastSequence < $0.fresh }.map(\.fresh).min() ?? last
        guard start < min(end, last) else {
            chunk = DocumentChunk(bytes: [], entries: [], last: max(start, last))
            return
        }
        chunk = try ChunkReader.read(start + 1...min(end, last), in: transaction)
    }
}

extension Database {
    /// The last sequence that a transaction of the calling thread shows.
    func lastSequence(in transaction: any ReadTransaction) throws(StorageError) -> UInt64 {
        if case .write(let session) = threadActivity {
            return try session.lastSequence()
        }
        return try transaction.counters().lastSequence
    }
}
