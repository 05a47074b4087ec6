/// A document's record in a store. Valid only inside the closure that receives it, and cannot be copied out. Its bytes
/// are the store's own if the store can lend them.
@safe
public struct RecordView: ~Copyable {
    /// The highest sequence of the document's revisions.
    public let sequence: UInt64
    public let flags: DocumentFlags
    private let idBytes: UnsafeRawBufferPointer
    private let winnerBytes: UnsafeRawBufferPointer
    /// The winner, if the engine does not store its text.
    private let winner: RevisionID?
    private let treeBytes: UnsafeRawBufferPointer
    private let bodyBytes: UnsafeRawBufferPointer

    /// For engines. The buffers must stay unchanged until the closure that receives the view returns. Fields that were
    /// not requested may be empty.
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
        self.winner = nil
        unsafe self.treeBytes = tree
        unsafe self.bodyBytes = body
    }

    /// For engines that do not store the text of the winner's ID. Its text is written only if somebody asks for it.
    @unsafe
    public init(
        sequence: UInt64,
        flags: DocumentFlags,
        id: UnsafeRawBufferPointer,
        winner: RevisionID,
        tree: UnsafeRawBufferPointer,
        body: UnsafeRawBufferPointer
    ) {
        self.sequence = sequence
        self.flags = flags
        unsafe self.idBytes = id
        unsafe self.winnerBytes = UnsafeRawBufferPointer(start: nil, count: 0)
        self.winner = winner
        unsafe self.treeBytes = tree
        unsafe self.bodyBytes = body
    }

    /// Passes the bytes of the ID to `use`. The ID is always present.
    public func withID<R, E: Error>(_ use: (RawSpan) throws(E) -> R) throws(E) -> R {
        try unsafe use(idBytes.bytes)
    }

    /// Passes the text of the winning revision's ID to `use` (with `RecordFields.winner`).
    public func withWinner<R, E: Error>(_ use: (RawSpan) throws(E) -> R) throws(E) -> R {
        if let winner { return try winner.withText(use) }
        return try unsafe use(winnerBytes.bytes)
    }

    /// Returns the winning revision's ID (with `RecordFields.winner`).
    ///
    /// - Throws: `corrupt` (591) if what is stored is none.
    public func winnerID() throws(StorageError) -> RevisionID {
        if let winner { return winner }
        return try RevisionID(stored: unsafe winnerBytes.bytes)
    }

    /// Passes the encoded revision tree to `use` (with `RecordFields.tree`).
    public func withTree<R, E: Error>(_ use: (RawSpan) throws(E) -> R) throws(E) -> R {
        try unsafe use(treeBytes.bytes)
    }

    /// Passes the canonical JSON of the winning revision to `use` (with `RecordFields.body`).
    public func withBody<R, E: Error>(_ use: (RawSpan) throws(E) -> R) throws(E) -> R {
        try unsafe use(bodyBytes.bytes)
    }

    /// Returns a copy of the ID.
    ///
    /// - Throws: `corrupt` (591) if it is not UTF-8.
    public func documentID() throws(StorageError) -> DocumentID {
        try DocumentID(stored: unsafe idBytes.bytes)
    }

    /// Returns a copy of the body (with `RecordFields.body`).
    public func bodyCopy() -> [UInt8] { unsafe Array(bodyBytes) }
}

/// The parts of a record to read. The ID, the sequence and the flags are always included.
public struct RecordFields: OptionSet, Sendable {
    public let rawValue: UInt8
    public init(rawValue: UInt8) { self.rawValue = rawValue }
    /// The winning revision's ID.
    public static let winner = RecordFields(rawValue: 1)
    /// The encoded revision tree.
    public static let tree = RecordFields(rawValue: 2)
    /// The winning revision's body.
    public static let body = RecordFields(rawValue: 4)
    /// Only what is always included.
    public static let metadata: RecordFields = []
    /// Everything.
    public static let all: RecordFields = [.winner, .tree, .body]
}
