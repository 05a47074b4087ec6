internal import StorageProtocol

/// The flag bits of records and of `sequences` entries.
enum RecordFlags {
    /// Those of `DocumentFlags`, in both.
    static let document: UInt8 = 7

    /// In a record: the winner's digest stands in the tree.
    static let digestInTree: UInt8 = 16
    /// In a record: the winner is stored as text.
    static let textWinner: UInt8 = 32
}
