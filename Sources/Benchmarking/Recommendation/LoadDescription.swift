public import StorageProtocol

/// What a deployment does with its database.
public struct LoadDescription: Sendable {
    /// An operation that a load is made of.
    public enum Operation: String, CaseIterable, Codable, Sendable {
        /// A document by its ID.
        case read
        /// A hundred documents in the order of IDs.
        case scan
        /// A hundred rows of a view.
        case query
        case insert
        case update
        /// An attachment of a new document.
        case attach
    }

    public var documents = 100_000
    public var documentBytes = 500
    /// How often each operation is done, in proportion.
    public var shares: [Operation: Double] = [.read: 80, .insert: 10, .update: 10]
    /// How many documents are written in one transaction.
    public var batch = 1
    public var durability = Durability.full
    public var isEncrypted = false
    /// Whether the data may disappear with the process.
    public var isVolatile = false
    /// How many processes use the database at a time.
    public var processes = 1
    /// The memory for the process and for what the system keeps of its files; nil: enough for everything.
    public var memoryBytes: UInt64?
    public var attachmentBytes = 100_000
    /// The documents' member that views have as their key, and the documents; nil: made-up ones of `documentBytes`.
    public var source: DocumentSource?

    public init() {}

    /// The operations that are done, with their parts of all, which add up to 1.
    var parts: [String: Double] {
        let used = shares.filter { $0.value > 0 }
        let total = used.values.reduce(0, +)
        return Dictionary(uniqueKeysWithValues: used.map { ($0.key.rawValue, $0.value / total) })
    }
}
