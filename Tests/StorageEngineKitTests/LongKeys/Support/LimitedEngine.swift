internal import StorageEngineKit
internal import StorageProtocol

/// A store in memory with a short maximum key length: just a `LimitedMap`.
final class LimitedEngine: StorageEngine {
    private struct State {
        var map: LimitedMap?
        var openTransactions = 0
    }

    let storageType: StorageType
    let capabilities: StorageCapabilities
    var compression: Compression { .uncompressed }
    let gate = WriterGate()
    let isBeingBuilt: Bool
    let longestKey: Int
    private let readOnly: Bool
    private let state: Locked<State>

    init(_ factory: LimitedEngineFactory, _ options: StorageOptions) {
        storageType = factory.storageType
        capabilities = factory.capabilities
        longestKey = factory.longestKey
        readOnly = options.readOnly
        isBeingBuilt = options.isBeingBuilt
        state = Locked(State(map: LimitedMap(longestKey: factory.longestKey)))
    }

    func beginRead() throws(StorageError) -> any ReadTransaction { LimitedReadTransaction(self, try begin()) }

    func beginWrite(patience: Duration?) throws(StorageError) -> any WriteTransaction {
        try checkOpen()
        if readOnly { throw .readOnly }
        try gate.enter(patience: patience)
        return LimitedWriteTransaction(self, try begin(), isWriter: true)
    }

    private func begin() throws(StorageError) -> LimitedMap {
        let map = state.withLock { state in
            if state.map != nil { state.openTransactions += 1 }
            return state.map
        }
        guard let map else { throw .closed }
        return map
    }

    func didEnd(isWriter: Bool) {
        state.withLock { $0.openTransactions -= 1 }
        if isWriter { gate.leave() }
    }

    func commit(_ next: LimitedMap) {
        state.withLock { if $0.map != nil { $0.map = next } }
    }

    private func checkOpen() throws(StorageError) {
        if state.withLock({ $0.map == nil }) { throw .closed }
    }

    func raiseDurability() throws(StorageError) { try checkOpen() }
    func checkpoint() throws(StorageError) { try checkOpen() }

    func statistics() throws(StorageError) -> StorageStatistics {
        try checkOpen()
        return StorageStatistics(
            bytesOnDisk: 0,
            freeBytes: 0,
            openTransactions: state.withLock { $0.openTransactions }
        )
    }

    func verify(
        progress: (_ done: UInt64, _ of: UInt64) throws(StorageError) -> Void,
        _ report: (StorageProblem) -> Void
    ) throws(StorageError) {
        do throws(StorageError) {
            try read { (tx) throws(StorageError) in try (tx as? any OrderedMapReader)?.check(report) }
        } catch {
            guard error.code == .corrupt else { throw error }
            report(StorageProblem(area: "map", message: error.message))
        }
        try progress(1, 1)
    }

    func close() {
        gate.close()
        state.withLock { $0.map = nil }
    }
}

struct LimitedEngineFactory: StorageEngineFactory {
    let longestKey: Int
    let storageType: StorageType
    var capabilities: StorageCapabilities { StorageCapabilities(sharing: .exclusive, location: .memory) }

    init(longestKey: Int) throws(StorageError) {
        self.longestKey = longestKey
        storageType = try StorageType("limited")
    }

    func open(directory: String, options: StorageOptions) throws(StorageError) -> any StorageEngine {
        try requireSupport(for: options)
        guard options.create else { throw StorageError(.notFound, "There is never anything to find in memory") }
        return LimitedEngine(self, options)
    }
}
