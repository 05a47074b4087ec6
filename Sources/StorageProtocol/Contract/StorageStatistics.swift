/// An engine's figures about its store.
public struct StorageStatistics: Sendable {
    /// The size of the engine's files in bytes, logs included; 0 for a store in memory.
    public var bytesOnDisk: UInt64
    /// Bytes inside the files that hold nothing. A `copy` does not have them.
    public var freeBytes: UInt64
    /// Roughly how many bytes a `copy` would save: `freeBytes`, and the empty space in pages that are in use if the
    /// engine can tell. The files are rewritten automatically when this is large.
    public var reclaimableBytes: UInt64
    /// Transactions that have begun and not ended: 0 when the store is idle. Tests use it to find leaks.
    public var openTransactions: Int
    /// Further figures of the engine by name (page size, log frames, ...), for `settee info`.
    public var details: [(name: String, value: String)]

    public init(
        bytesOnDisk: UInt64,
        freeBytes: UInt64,
        openTransactions: Int,
        reclaimableBytes: UInt64? = nil,
        details: [(name: String, value: String)] = []
    ) {
        self.bytesOnDisk = bytesOnDisk
        self.freeBytes = freeBytes
        self.openTransactions = openTransactions
        self.reclaimableBytes = reclaimableBytes ?? freeBytes
        self.details = details
    }
}

/// A problem in a store, as reported by `settee check`.
public struct StorageProblem: Sendable, CustomStringConvertible {
    /// What is damaged: `pages`, `tree`, `body`, `sequence index`, `count`, `reference`, ...
    public var area: String
    /// What is wrong, with the document's ID if there is one, but never its content.
    public var message: String

    public init(area: String, message: String) {
        self.area = area
        self.message = message
    }

    public var description: String { "\(area): \(message)" }
}
