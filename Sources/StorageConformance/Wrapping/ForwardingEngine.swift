public import StorageProtocol

/// An engine that passes every call on to another one, except those that the type implements itself. This keeps the
/// contract's default implementations from replacing those of the wrapped engine.
public protocol ForwardingEngine: StorageEngine {
    /// The engine that receives the calls.
    var base: any StorageEngine { get }
}

extension ForwardingEngine {
    public var storageType: StorageType { base.storageType }
    public var capabilities: StorageCapabilities { base.capabilities }
    public var compression: Compression { base.compression }
    public var blobStore: (any BlobStore)? { base.blobStore }
    public var openingProblems: [StorageProblem] { base.openingProblems }

    public func takeBackgroundProblems() -> [StorageProblem] { base.takeBackgroundProblems() }

    public func beginRead() throws(StorageError) -> any ReadTransaction { try base.beginRead() }

    public func beginSingleRead() throws(StorageError) -> any ReadTransaction { try base.beginSingleRead() }

    public func beginWrite(patience: Duration?) throws(StorageError) -> any WriteTransaction {
        try base.beginWrite(patience: patience)
    }

    public func raiseDurability() throws(StorageError) { try base.raiseDurability() }

    public func checkpoint() throws(StorageError) { try base.checkpoint() }

    public func copy(
        toDirectory directory: String,
        options: StorageCopyOptions,
        progress: (_ done: UInt64, _ of: UInt64) throws(StorageError) -> Void
    ) throws(StorageError) {
        try base.copy(toDirectory: directory, options: options, progress: progress)
    }

    public func beginRewrite(
        toDirectory directory: String,
        options: StorageCopyOptions
    ) throws(StorageError) -> any StorageRewrite {
        try base.beginRewrite(toDirectory: directory, options: options)
    }

    public func compact(
        progress: (_ done: UInt64, _ of: UInt64) throws(StorageError) -> Void
    ) throws(StorageError) {
        try base.compact(progress: progress)
    }

    public func oldestSnapshot() throws(StorageError) -> OldestSnapshot { try base.oldestSnapshot() }

    public func verify(
        progress: (_ done: UInt64, _ of: UInt64) throws(StorageError) -> Void,
        _ report: (StorageProblem) -> Void
    ) throws(StorageError) {
        try base.verify(progress: progress, report)
    }

    public func statistics() throws(StorageError) -> StorageStatistics { try base.statistics() }

    public func close() { base.close() }
}

/// A factory that passes every call on to another one, except those that the type implements itself.
public protocol ForwardingEngineFactory: StorageEngineFactory {
    /// The factory that receives the calls.
    var base: any StorageEngineFactory { get }
}

extension ForwardingEngineFactory {
    public var storageType: StorageType { base.storageType }
    public var capabilities: StorageCapabilities { base.capabilities }

    public func authorize(directory: String, options: StorageOptions) throws(StorageError) {
        try base.authorize(directory: directory, options: options)
    }

    public func pendingLog(directory: String) throws(StorageError) -> PendingLog {
        try base.pendingLog(directory: directory)
    }

    public func open(directory: String, options: StorageOptions) throws(StorageError) -> any StorageEngine {
        try base.open(directory: directory, options: options)
    }
}
