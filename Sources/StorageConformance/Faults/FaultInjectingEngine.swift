public import StorageProtocol

/// An engine that forwards every call to another one, except those that its plan makes fail. It serves to test the code
/// above an engine: arm the plan for call 1, 2, 3, ... until the work completes, and check what is left each time.
///
/// A call that fails does not reach the engine below. After a storage failure a write transaction is doomed, as the
/// contract requires: every later call throws the same error, and so does `commit`, which rolls back.
public final class FaultInjectingEngine: StorageEngine {
    /// The engine that does the work.
    public let base: any StorageEngine
    /// The plan of failures.
    public let faults: FaultPlan

    public init(_ base: any StorageEngine, faults: FaultPlan = FaultPlan()) {
        self.base = base
        self.faults = faults
    }

    public var storageType: StorageType { noting("storageType").storageType }
    public var capabilities: StorageCapabilities { noting("capabilities").capabilities }
    public var compression: Compression { noting("compression").compression }
    public var openingProblems: [StorageProblem] { noting("openingProblems").openingProblems }
    /// The store of the engine below; its calls do not fail.
    public var blobStore: (any BlobStore)? { noting("blobStore").blobStore }

    /// Calls that cannot fail are recorded in the plan too.
    private func noting(_ name: String) -> any StorageEngine {
        faults.note(name)
        return base
    }

    public func takeBackgroundProblems() -> [StorageProblem] {
        noting("takeBackgroundProblems").takeBackgroundProblems()
    }

    public func beginRead() throws(StorageError) -> any ReadTransaction {
        _ = try faults.admit("beginRead")
        return FaultInjectingReadTransaction(try base.beginRead(), faults)
    }

    public func beginSingleRead() throws(StorageError) -> any ReadTransaction {
        _ = try faults.admit("beginSingleRead")
        return FaultInjectingReadTransaction(try base.beginSingleRead(), faults)
    }

    public func beginWrite(patience: Duration?) throws(StorageError) -> any WriteTransaction {
        _ = try faults.admit("beginWrite")
        return FaultInjectingWriteTransaction(try base.beginWrite(patience: patience), faults)
    }

    public func raiseDurability() throws(StorageError) {
        if try faults.admit("raiseDurability") { try base.raiseDurability() }
    }

    public func checkpoint() throws(StorageError) {
        if try faults.admit("checkpoint") { try base.checkpoint() }
    }

    public func copy(
        toDirectory directory: String,
        options: StorageCopyOptions,
        progress: (_ done: UInt64, _ of: UInt64) throws(StorageError) -> Void
    ) throws(StorageError) {
        if try faults.admit("copy") { try base.copy(toDirectory: directory, options: options, progress: progress) }
    }

    public func beginRewrite(
        toDirectory directory: String,
        options: StorageCopyOptions
    ) throws(StorageError) -> any StorageRewrite {
        _ = try faults.admit("beginRewrite")
        return FaultInjectingRewrite(try base.beginRewrite(toDirectory: directory, options: options), faults)
    }

    public func compact(
        progress: (_ done: UInt64, _ of: UInt64) throws(StorageError) -> Void
    ) throws(StorageError) {
        if try faults.admit("compact") { try base.compact(progress: progress) }
    }

    public func oldestSnapshot() throws(StorageError) -> OldestSnapshot {
        _ = try faults.admit("oldestSnapshot")
        return try base.oldestSnapshot()
    }

    public func verify(
        progress: (_ done: UInt64, _ of: UInt64) throws(StorageError) -> Void,
        _ report: (StorageProblem) -> Void
    ) throws(StorageError) {
        if try faults.admit("verify") { try base.verify(progress: progress, report) }
    }

    public func statistics() throws(StorageError) -> StorageStatistics {
        _ = try faults.admit("statistics")
        return try base.statistics()
    }

    public func close() { noting("close").close() }
}

/// Opens stores of another factory inside `FaultInjectingEngine`s.
public struct FaultInjectingEngineFactory: StorageEngineFactory {
    public let base: any StorageEngineFactory
    public let faults: FaultPlan

    public init(_ base: any StorageEngineFactory, faults: FaultPlan = FaultPlan()) {
        self.base = base
        self.faults = faults
    }

    public var storageType: StorageType { noting("storageType").storageType }
    public var capabilities: StorageCapabilities { noting("capabilities").capabilities }

    private func noting(_ name: String) -> any StorageEngineFactory {
        faults.note(name)
        return base
    }

    /// Never fails by the plan, because nothing is open yet.
    public func authorize(directory: String, options: StorageOptions) throws(StorageError) {
        try noting("authorize").authorize(directory: directory, options: options)
    }

    public func pendingLog(directory: String) throws(StorageError) -> PendingLog {
        try noting("pendingLog").pendingLog(directory: directory)
    }

    public func open(directory: String, options: StorageOptions) throws(StorageError) -> any StorageEngine {
        _ = try faults.admit("open")
        return FaultInjectingEngine(try base.open(directory: directory, options: options), faults: faults)
    }
}
