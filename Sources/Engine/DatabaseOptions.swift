public import StorageProtocol

/// How a database is opened.
public struct DatabaseOptions: Sendable {
    /// The engine for a new database; for an existing one, the engine it must have. Nil: the manager's default for a
    /// new database, and whatever made it for an existing one.
    public var storageType: StorageType?
    /// Make the database where there is none; otherwise, and with `readOnly`, that is `notFound` (404).
    public var create: Bool
    /// Refuse every write (403). Opens folders that cannot be written, too.
    public var readOnly: Bool
    /// What a commit survives.
    public var durability: Durability
    /// How long a write waits for another process's, before it fails with `inUse` (423). Opening waits 10 seconds at
    /// most.
    public var busyTimeout: Duration

    public init(
        storageType: StorageType? = nil,
        create: Bool = true,
        readOnly: Bool = false,
        durability: Durability = .full,
        busyTimeout: Duration = .seconds(10)
    ) {
        self.storageType = storageType
        self.create = create
        self.readOnly = readOnly
        self.durability = durability
        self.busyTimeout = busyTimeout
    }
}
