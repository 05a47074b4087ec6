/// A document as a store shows it, valid only inside the closure it is handed to: it cannot be copied out. The bytes
/// are the store's own where it can lend them.
@safe
public struct RecordView: ~Copyable {
    /// The highest sequence of the document's revisions.
    public let sequence: UInt64
    public let flags: DocumentFlags
    private let idBytes: UnsafeRawBufferPointer
    private let winnerBytes: UnsafeRawBufferPointer
    private let treeBytes: UnsafeRawBufferPointer
    private let bodyBytes: UnsafeRawBufferPointer

    /// For engines. The buffers must stay as they are until the closure that gets the view returns; fields that were
    /// not asked for may be empty.
    @unsafe
    public init(
        sequence: UInt64,
        flags: DocumentFlags,
        id: UnsafeRawBufferPointer,
        winner: UnsafeRawBufferPointer,
        tree: UnsafeRawBufferPointer,
        body: UnsafeRawBufferPointer
    ) {
        self.sequence = sequence
        self.flags = flags
        unsafe self.idBytes = id
        unsafe self.winnerBytes = winner
        unsafe self.treeBytes = tree
        unsafe self.bodyBytes = body
    }

    /// The ID's bytes (always there).
    public func withID<R, E: Error>(_ use: (RawSpan) throws(E) -> R) throws(E) -> R {
        try unsafe use(idBytes.bytes)
    }

    /// The text of the winning revision's ID (with `RecordFields.winner`).
    public func withWinner<R, E: Error>(_ use: (RawSpan) throws(E) -> R) throws(E) -> R {
        try unsafe use(winnerBytes.bytes)
    }

    /// The encoded revision tree (with `RecordFields.tree`).
    public func withTree<R, E: Error>(_ use: (RawSpan) throws(E) -> R) throws(E) -> R {
        try unsafe use(treeBytes.bytes)
    }

    /// The winning revision's canonical JSON (with `RecordFields.body`).
    public func withBody<R, E: Error>(_ use: (RawSpan) throws(E) -> R) throws(E) -> R {
        try unsafe use(bodyBytes.bytes)
    }

    /// A copy of the ID.
    ///
    /// - Throws: `corrupt` (591) where it is not UTF-8.
    public func documentID() throws(StorageError) -> DocumentID {
        try DocumentID(stored: unsafe idBytes.bytes)
    }

    /// A copy of the body (with `RecordFields.body`).
    public func bodyCopy() -> [UInt8] { unsafe Array(bodyBytes) }
}

/// Which parts of a record a reader wants; the ID, sequence and flags always come.
public struct RecordFields: OptionSet, Sendable {
    public let rawValue: UInt8
    public init(rawValue: UInt8) { self.rawValue = rawValue }
    /// The winning revision's ID.
    public static let winner = RecordFields(rawValue: 1)
    /// The encoded revision tree.
    public static let tree = RecordFields(rawValue: 2)
    /// The winning revision's body.
    public static let body = RecordFields(rawValue: 4)
    /// What always comes, and no more.
    public static let metadata: RecordFields = []
    /// Everything.
    public static let all: RecordFields = [.winner, .tree, .body]
}
