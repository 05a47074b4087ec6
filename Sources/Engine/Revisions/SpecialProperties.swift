/// The special properties that are added to a body, beside `_id`, `_rev` and, for a tombstone, `_deleted`.
public struct SpecialProperties: OptionSet, Sendable, Hashable {
    public let rawValue: UInt8
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// `_revisions`: the ID of the revision and those of its known ancestors, as `{"start": 3, "ids": ["c", "b", "a"]}`
    /// for 3-c, 2-b, 1-a.
    public static let revisions = SpecialProperties(rawValue: 1)
    /// `_revs_info`: the same revisions with their availability, as `[{"rev": "3-c", "status": "available"}, ...]`; the
    /// status is `available`, `missing` or `deleted`.
    public static let revisionsInfo = SpecialProperties(rawValue: 2)
    /// `_conflicts`: the IDs of the other live leaves, in the order in which they would win. Left out if there are
    /// none.
    public static let conflicts = SpecialProperties(rawValue: 4)
    /// `_local_seq`: the sequence under which the revision was stored.
    public static let localSequence = SpecialProperties(rawValue: 8)
    /// All of them.
    public static let all: SpecialProperties = [.revisions, .revisionsInfo, .conflicts, .localSequence]
}
