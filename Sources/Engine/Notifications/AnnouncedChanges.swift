/// What a transaction changes, for observers of the database.
struct AnnouncedChanges {
    /// The sequences that the transaction has taken.
    private(set) var sequences: ClosedRange<UInt64>?
    private var changes: [DocumentChange] = []
    private var isTooLarge = false

    mutating func took(_ sequence: UInt64) {
        sequences = (sequences?.lowerBound ?? sequence)...sequence
    }

    /// - Parameter limit: No observer takes more changes at once.
    mutating func append(_ change: DocumentChange, limit: Int) {
        guard !isTooLarge else { return }
        changes.append(change)
        guard changes.count > limit else { return }
        isTooLarge = true
        changes = []
    }

    /// The transaction's changes once it is committed, nil if it took no sequence.
    var committed: CommittedChanges? {
        guard let sequences else { return nil }
        if isTooLarge { return CommittedChanges(sequences: sequences, content: .tooMany) }
        let isComplete = UInt64(changes.count) == sequences.upperBound - sequences.lowerBound + 1
        return CommittedChanges(sequences: sequences, content: isComplete ? .changes(changes) : .stored)
    }
}

/// The changes of one transaction of this process.
struct CommittedChanges: Sendable {
    enum Content: Sendable {
        /// One change for each sequence.
        case changes([DocumentChange])
        /// They were not collected from the beginning and must be read from the store.
        case stored
        /// More than any observer takes at once.
        case tooMany
    }

    /// All sequences that the transaction took.
    var sequences: ClosedRange<UInt64>
    var content: Content

    /// How many changes it holds in memory.
    var count: Int {
        guard case .changes(let changes) = content else { return 0 }
        return changes.count
    }

    var isTooMany: Bool {
        guard case .tooMany = content else { return false }
        return true
    }
}
