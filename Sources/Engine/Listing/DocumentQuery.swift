internal import StorageProtocol

/// The documents that a scan (`Snapshot.forEachDocument`) returns, and their order. IDs are ordered by their UTF-8
/// bytes. Local documents are never listed.
public struct DocumentQuery: Sendable, Equatable {
    /// The first ID of the range in the order of the listing; nil: from the beginning. With `descending` it is the
    /// highest.
    public var startKey: String?
    /// The last ID of the range in the order of the listing; nil: to the end.
    public var endKey: String?
    /// Whether `startKey` itself belongs to the range.
    public var inclusiveStart: Bool
    /// Whether `endKey` itself belongs to the range.
    public var inclusiveEnd: Bool
    /// Only these IDs, each once and in the order of IDs; `startKey` and `endKey` are then ignored. IDs of missing
    /// documents give no row.
    package var keys: [String]?
    /// The highest number of rows, after `skip`; nil: all. A negative number is `badParameter` (495).
    public var limit: Int?
    /// How many rows are left out first, at the cost of reading them. A negative number is `badParameter` (495).
    public var skip: Int
    /// Whether the order is from the highest ID to the lowest.
    public var descending: Bool
    /// Whether tombstones are included.
    public var includeDeleted: Bool
    /// Whether only documents with two or more live leaves are included.
    public var onlyConflicts: Bool
    /// Whether rows contain the body.
    public var includeBodies: Bool

    public init(
        startKey: String? = nil,
        endKey: String? = nil,
        inclusiveStart: Bool = true,
        inclusiveEnd: Bool = true,
        limit: Int? = nil,
        skip: Int = 0,
        descending: Bool = false,
        includeDeleted: Bool = false,
        onlyConflicts: Bool = false,
        includeBodies: Bool = false
    ) {
        self.startKey = startKey
        self.endKey = endKey
        self.inclusiveStart = inclusiveStart
        self.inclusiveEnd = inclusiveEnd
        self.limit = limit
        self.skip = skip
        self.descending = descending
        self.includeDeleted = includeDeleted
        self.onlyConflicts = onlyConflicts
        self.includeBodies = includeBodies
    }

    package init(
        keys: [String],
        limit: Int? = nil,
        skip: Int = 0,
        descending: Bool = false,
        includeDeleted: Bool = false,
        includeBodies: Bool = false
    ) {
        self.init(
            limit: limit,
            skip: skip,
            descending: descending,
            includeDeleted: includeDeleted,
            includeBodies: includeBodies
        )
        self.keys = keys
    }
}

/// The changes that a listing returns: each document once, under its highest sequence.
struct ChangesQuery: Sendable {
    /// Only changes with a higher sequence.
    var since: UInt64
    /// Only changes up to this sequence; nil: all.
    var through: UInt64?
    /// The highest number of rows; nil: all. A negative number is `badParameter` (495).
    var limit: Int?
    /// Whether the order is from the latest change to the first.
    var descending: Bool
    /// Whether rows contain the body.
    var includeBodies: Bool
    /// Whether rows contain all leaves.
    var includeLeaves: Bool
    /// A page is over once its bodies have so many bytes.
    var bytesOfPage = Int.max

    /// The parts of a record that its row needs.
    var fields: RecordFields {
        var fields: RecordFields = includeLeaves ? [.tree] : [.winner]
        if includeBodies { fields.insert(.body) }
        return fields
    }
}
