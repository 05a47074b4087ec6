internal import StorageProtocol

/// The flag bits of records and of `sequences` entries.
enum RecordFlags {
    /// The flags of `DocumentFlags`, in both.
    static let document: UInt8 = 7

    /// In a record: the winner's digest is stored in the tree.
    static let digestInTree: UInt8 = 16
    /// In a record: the winner is stored as text.
    static let textWinner: UInt8 = 32
}
