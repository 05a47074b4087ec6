internal import StorageProtocol

/// How many documents a store has, tombstones included, as of one sequence. Engines count the live ones only.
///
/// It is counted when it is asked for first, and kept up by the commits of this process. A commit of another process
/// shows in the sequence: then it is counted anew.
final class RecordCount: Sendable {
    private let known: Locked<(sequence: UInt64, count: UInt64)?> = Locked(nil)

    /// The count as of a sequence; nil if it is not known.
    func count(at sequence: UInt64) -> UInt64? {
        known.withLock { known in
            guard let known, known.sequence == sequence else { return nil }
            return known.count
        }
    }

    func set(_ count: UInt64, at sequence: UInt64) { known.withLock { $0 = (sequence, count) } }

    /// Takes a commit into account.
    ///
    /// - Parameters:
    ///   - before: the last sequence before its transaction.
    ///   - after: the last sequence after it.
    ///   - added: how many documents it has added, less those that it purged.
    func committed(from before: UInt64, to after: UInt64, added: Int64) {
        known.withLock { known in
            guard let count = known?.count, known?.sequence == before else { return }
            let (sum, isNegative) = Int64(clamping: count).addingReportingOverflow(added)
            known = isNegative || sum < 0 ? nil : (after, UInt64(sum))
        }
    }
}

extension Database {
    /// The number of documents whose current revision is a tombstone.
    ///
    /// - Complexity: O(documents) at the first call, and after commits of other processes; else O(log n).
    package var deletedDocumentCount: UInt64 {
        get throws(StorageError) {
            let isWriting = if case .write = ThreadContext.current.activity(on: self) { true } else { false }
            return try withReadTransaction { (transaction) throws(StorageError) in
                let counters = try transaction.counters()
                let all: UInt64
                if !isWriting, let known = store.recordCount.count(at: counters.lastSequence) {
                    all = known
                } else {
                    all = try Database.countRecords(in: transaction)
                    // What a transaction sees may be rolled back.
                    if !isWriting { store.recordCount.set(all, at: counters.lastSequence) }
                }
                return all - min(all, counters.liveDocuments)
            }
        }
    }

    private static func countRecords(in transaction: any ReadTransaction) throws(StorageError) -> UInt64 {
        var count: UInt64 = 0
        try transaction.records(in: .all, descending: false, fields: .metadata) { (_) throws(StorageError) in
            count += 1
            return true
        }
        return count
    }
}
