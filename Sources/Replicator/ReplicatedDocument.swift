/// What became of a document.
public struct ReplicatedDocument: Sendable {
    public enum Direction: String, Sendable { case push, pull }

    public struct Flags: OptionSet, Sendable {
        public let rawValue: Int

        public init(rawValue: Int) { self.rawValue = rawValue }

        /// A tombstone.
        public static let deleted = Flags(rawValue: 1)
        /// The user has lost access to the document.
        public static let accessRemoved = Flags(rawValue: 2)
        /// Its conflict was resolved.
        public static let resolved = Flags(rawValue: 4)
    }

    public var documentID: String
    public var direction: Direction
    /// Why it was not passed on; nil if it was.
    public var error: ReplicationError?
    public var flags: Flags

    public init(documentID: String, direction: Direction, error: ReplicationError? = nil, flags: Flags = []) {
        self.documentID = documentID
        self.direction = direction
        self.error = error
        self.flags = flags
    }
}
