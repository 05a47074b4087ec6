internal import StorageEngineKit
public import StorageProtocol
import Synchronization

/// A store that is one sorted map of bytes, in memory and in a file.
///
/// A snapshot is a copy of the map, which costs nothing until somebody writes. A commit writes all of it to a new file
/// and puts that in the place of the old one. That is right for some thousand small documents, and for nothing more.
public final class SmallestEngine: StorageEngine {
    private struct State {
        /// Nil once the engine is closed.
        var file: StoreFile?
        var content: SortedBytes
        var openTransactions = 0
    }

    public let storageType: StorageType
    public var capabilities: StorageCapabilities { .ofSmallest }
    public var compression: Compression { .uncompressed }
    let gate = WriterGate()
    private let state: Mutex<State>
    private let readOnly: Bool
    let isBeingBuilt: Bool

    init(_ storageType: StorageType, _ file: StoreFile, _ content: SortedBytes, _ options: StorageOptions) {
        self.storageType = storageType
        readOnly = options.readOnly || options.immutable
        isBeingBuilt = options.isBeingBuilt
        state = Mutex(State(file: file, content: content))
    }

    // MARK: Transactions

    public func beginRead() throws(StorageError) -> any ReadTransaction {
        _ = try openFile()
        return SmallestReadTransaction(self, begin())
    }

    public func beginWrite(patience: Duration?) throws(StorageError) -> any WriteTransaction {
        _ = try openFile()
        if readOnly { throw .readOnly }
        try gate.enter(patience: patience)
        return SmallestWriteTransaction(self, begin(), isWriter: true)
    }

    private func begin() -> SortedBytes {
        state.withLock { state in
            state.openTransactions += 1
            return state.content
        }
    }

    func didEnd(isWriter: Bool) {
        state.withLock { $0.openTransactions -= 1 }
        if isWriter { gate.leave() }
    }

    /// Makes what the write transaction leaves the store's content, or leaves all as it was.
    func commit(_ next: SortedBytes) throws(StorageError) {
        let file = try openFile()
        do throws(StorageError) {
            try file.save(next)
        } catch {
            // The new file may stand in its place, with only that not synced: then the old content has to come back.
            try? file.save(state.withLock { $0.content })
            throw error
        }
        state.withLock { state in
            if state.file != nil { state.content = next }
        }
    }

    private func openFile() throws(StorageError) -> StoreFile {
        guard let file = state.withLock({ $0.file }) else { throw .closed }
        return file
    }

    // MARK: The rest

    /// Every commit is synced already.
    public func raiseDurability() throws(StorageError) { _ = try openFile() }

    /// Every commit is synced already, and there is no log.
    public func checkpoint() throws(StorageError) { _ = try openFile() }

    public func statistics() throws(StorageError) -> StorageStatistics {
        let size = try openFile().size()
        return StorageStatistics(
            bytesOnDisk: size,
            freeBytes: 0,
            openTransactions: state.withLock { $0.openTransactions }
        )
    }

    public func verify(
        progress: (_ done: UInt64, _ of: UInt64) throws(StorageError) -> Void,
        _ report: (StorageProblem) -> Void
    ) throws(StorageError) {
        do throws(StorageError) {
            _ = try openFile().load()
            try read { (tx) throws(StorageError) in
                try (tx as? any OrderedMapReader)?.check(report)
            }
        } catch {
            guard error.code == .corrupt else { throw error }
            report(StorageProblem(area: "file", message: error.message))
        }
        try progress(1, 1)
    }

    public func close() {
        gate.close()
        // Where a commit is being written, that keeps the file until it is done.
        let file = state.withLock { state in
            defer { (state.file, state.content) = (nil, SortedBytes()) }
            return state.file
        }
        withExtendedLifetime(file) {}
    }
}
