internal import StorageProtocol

/// Changes read from the store: each document once, under its highest sequence, and purges as long as the store
/// remembers them.
package struct StoredChanges {
    /// In the order of sequences.
    private(set) var changes: [DocumentChange] = []
    /// All changes up to this sequence are included.
    private(set) var covered: UInt64
    /// Whether that is as far as requested.
    private(set) var isEnd = true
    /// Whether a compaction may have forgotten purges in this range.
    private(set) var mayLackPurges = false

    /// The info key under which a compaction stores the sequence up to which it forgot purges.
    package static let forgottenKey = "purgesForgottenThrough"

    /// Reads the changes after a sequence, at most `maximum`.
    ///
    /// - Parameters:
    ///   - last: How far to read; nil: to the end.
    ///   - isExternal: The value of `isExternal` in the changes.
    init(
        _ transaction: any ReadTransaction,
        after: UInt64,
        through last: UInt64? = nil,
        maximum: Int,
        isExternal: Bool
    ) throws(StorageError) {
        let present = try transaction.counters().lastSequence
        let end = min(last ?? present, present)
        covered = max(end, after)
        guard after < end else { return }

        var saved: [DocumentChange] = []
        var reached = end
        try transaction.orderedRecords(sequences: after + 1...end, descending: false, fields: .tree) {
            (record) throws(StorageError) in
            saved.append(try DocumentChange(record, isExternal: isExternal))
            guard saved.count == maximum else { return true }
            reached = record.sequence
            return false
        }
        var gone: [DocumentChange] = []
        try transaction.orderedHiddenEntries(sequences: after + 1...reached) { (sequence, id) throws(StorageError) in
            gone.append(DocumentChange(gone: id, sequence: sequence, isExternal: isExternal))
            guard gone.count == maximum else { return true }
            reached = sequence
            return false
        }
        if gone.isEmpty {
            changes = saved
        } else {
            changes = (saved.filter { $0.sequence <= reached } + gone).sorted { $0.sequence < $1.sequence }
        }
        covered = reached
        isEnd = reached == end

        let forgotten = min(try StoredChanges.forgottenSequence(transaction), covered)
        if forgotten > after {
            let told = changes.count { $0.sequence <= forgotten }
            mayLackPurges = UInt64(told) < forgotten - after
        }
    }

    /// Returns the sequence up to which compactions forgot purges, 0 if none did.
    static func forgottenSequence(_ transaction: any ReadTransaction) throws(StorageError) -> UInt64 {
        guard let text = try transaction.info(forgottenKey) else { return 0 }
        guard let sequence = UInt64(String(decoding: text, as: UTF8.self)) else {
            throw .corrupt("The sequence up to which purges were forgotten is no number")
        }
        return sequence
    }
}
