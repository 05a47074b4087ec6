internal import StorageEngineKit
public import StorageProtocol
internal import Synchronization

/// A store in memory: the reference implementation of the storage contract.
///
/// The whole content is one value with structural sharing. A snapshot is a reference to it, so readers and the writer
/// never wait for each other. The writer works on its own copy, which becomes the store's at `commit`.
public final class MemoryEngine: StorageEngine {
    private let state = Locked(MemoryState())
    private let transactions = Atomic(0)
    let gate = WriterGate()
    private let blobs = MemoryBlobStore()
    private let readOnly: Bool

    let isBeingBuilt: Bool

    init(readOnly: Bool, isBeingBuilt: Bool) {
        self.readOnly = readOnly
        self.isBeingBuilt = isBeingBuilt
    }

    public var storageType: StorageType { .memory }
    public var capabilities: StorageCapabilities { .ofMemory }
    public var compression: Compression { .uncompressed }
    public var blobStore: (any BlobStore)? { blobs }

    public func beginRead() throws(StorageError) -> any ReadTransaction {
        try checkOpen()
        transactions.add(1, ordering: .relaxed)
        return MemoryReadTransaction(self, state.withLock { $0 }, isWriter: false)
    }

    /// Does nothing: no data survives the process, whatever the durability.
    public func raiseDurability() {}

    public func beginWrite(patience: Duration?) throws(StorageError) -> any WriteTransaction {
        try checkOpen()
        if readOnly { throw .readOnly }
        try gate.enter(patience: patience)
        transactions.add(1, ordering: .relaxed)
        return MemoryWriteTransaction(self, state.withLock { $0 }, isWriter: true)
    }

    /// Does nothing: there is no log.
    public func checkpoint() throws(StorageError) { try checkOpen() }

    /// - Throws: Always `notImplemented` (501), because there are no files to copy.
    public func copy(
        toDirectory directory: String,
        options: StorageCopyOptions,
        progress: (_ done: UInt64, _ of: UInt64) throws(StorageError) -> Void
    ) throws(StorageError) {
        try checkOpen()
        throw StorageError(
            .notImplemented,
            "A store in memory has no files to copy. Copy its documents into a database of another storage type."
        )
    }

    public func verify(
        progress: (_ done: UInt64, _ of: UInt64) throws(StorageError) -> Void,
        _ report: (StorageProblem) -> Void
    ) throws(StorageError) {
        try checkOpen()
        for problem in try state.withLock({ $0 }).faults() { report(problem) }
        try progress(1, 1)
    }

    public func statistics() throws(StorageError) -> StorageStatistics {
        try checkOpen()
        return StorageStatistics(
            bytesOnDisk: 0,
            freeBytes: 0,
            openTransactions: transactions.load(ordering: .relaxed)
        )
    }

    public func close() {
        gate.close()
        state.withLock { $0 = MemoryState() }
    }

    private func checkOpen() throws(StorageError) {
        if gate.isClosed { throw .closed }
    }

    func publish(_ next: consuming MemoryState) {
        state.withLock { [next] in $0 = next }
    }

    func didEnd(isWriter: Bool) {
        transactions.subtract(1, ordering: .relaxed)
        if isWriter { gate.leave() }
    }
}
