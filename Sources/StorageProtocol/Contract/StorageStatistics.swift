/// What an engine can tell about its store.
public struct StorageStatistics: Sendable {
    /// Bytes of the engine's files, logs included; 0 for one in memory.
    public var bytesOnDisk: UInt64
    /// Bytes inside the files that hold nothing; a `copy` does without them.
    public var freeBytes: UInt64
    /// About how many bytes a `copy` would do without: `freeBytes`, and what is empty in pages that hold something,
    /// where the engine can tell. The files are rewritten by themselves when this is much.
    public var reclaimableBytes: UInt64
    /// Transactions that were begun and have not ended: 0 when nobody works. Tests look for leaks here.
    public var openTransactions: Int
    /// The engine's own figures by name (page size, log frames, ...), for `settee info`.
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

/// Something wrong in a store, as `settee check` names it.
public struct StorageProblem: Sendable, CustomStringConvertible {
    /// What is damaged: `pages`, `tree`, `body`, `sequence index`, `count`, `reference`, ...
    public var area: String
    /// What is wrong, with the document's ID where there is one, never its content.
    public var message: String

    public init(area: String, message: String) {
        self.area = area
        self.message = message
    }

    public var description: String { "\(area): \(message)" }
}
