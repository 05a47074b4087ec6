/// A document's record to be stored.
public struct RecordDraft: Sendable {
    /// The document. Not a local one.
    public var documentID: DocumentID
    /// A summary of `tree` for readers that do not decode it. The store counts its live documents by these flags.
    public var flags: DocumentFlags
    /// The new highest sequence of the document. Must be above every sequence used in the store.
    public var sequence: UInt64
    /// The winning revision's ID.
    public var winner: RevisionID
    /// The encoded revision tree.
    public var tree: [UInt8]
    /// What happens to the current body.
    public var body: BodyChange

    /// The longest body that a store must take, in bytes: 32 MiB. What is above it never reaches a store.
    public static let maximumBodyLength = 32 << 20

    /// What happens to the current body (the winner's).
    public enum BodyChange: Sendable {
        /// The winner has not changed, and neither has its body.
        case unchanged
        /// The new winner's canonical JSON; the old body is dropped.
        case replace([UInt8])
        /// The new winner's canonical JSON; the old body is kept as that of the revision with sequence `oldSequence`.
        case replaceKeepingOld([UInt8], oldSequence: UInt64)
    }

    public init(
        documentID: DocumentID,
        flags: DocumentFlags,
        sequence: UInt64,
        winner: RevisionID,
        tree: [UInt8],
        body: BodyChange
    ) {
        self.documentID = documentID
        self.flags = flags
        self.sequence = sequence
        self.winner = winner
        self.tree = tree
        self.body = body
    }
}

/// The facts about a document that a reader learns without decoding its tree.
public struct DocumentFlags: OptionSet, Sendable, Hashable {
    public let rawValue: UInt8
    public init(rawValue: UInt8) { self.rawValue = rawValue }
    /// The winner is a tombstone: no leaf is live.
    public static let deleted = DocumentFlags(rawValue: 1)
    /// Two or more live leaves.
    public static let conflicted = DocumentFlags(rawValue: 2)
    /// At least one kept revision has attachments.
    public static let hasAttachments = DocumentFlags(rawValue: 4)
}

/// The counters of a snapshot, all from the same moment.
///
/// Each is at most 2^63 - 1. A store with a higher value is `corrupt` (591).
public struct StoreCounters: Sendable, Equatable {
    /// The number of documents whose winner is live, by the flags of their records.
    public var liveDocuments: UInt64
    /// The highest sequence ever used; 0 in a new store.
    public var lastSequence: UInt64
    /// Grows with every commit that wrote anything, whatever it was. In a write transaction this is the value of the
    /// previous commit.
    public var changeCounter: UInt64

    public init(liveDocuments: UInt64, lastSequence: UInt64, changeCounter: UInt64) {
        self.liveDocuments = liveDocuments
        self.lastSequence = lastSequence
        self.changeCounter = changeCounter
    }
}

/// A range of byte strings in `memcmp` order.
public struct ByteRange: Sendable, Equatable {
    /// One end of the range.
    public enum Bound: Sendable, Equatable {
        case open
        case including([UInt8])
        case excluding([UInt8])
    }
    public var lower: Bound
    public var upper: Bound

    public init(lower: Bound = .open, upper: Bound = .open) {
        self.lower = lower
        self.upper = upper
    }

    /// Every byte string.
    public static let all = ByteRange()
}
