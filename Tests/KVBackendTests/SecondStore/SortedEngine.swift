import StorageProtocol

@testable import SetteeKV

/// The key-value engine on a `SortedStore`.
final class SortedEngine<Limit: KeyLimit>: KVEngine<SortedStore<Limit>>, StorageEngine, @unchecked Sendable {
    let storageType: StorageType
    let capabilities = StorageCapabilities.ofSortedStores
    private let factory: SortedEngineFactory<Limit>

    init(
        _ factory: SortedEngineFactory<Limit>,
        _ store: SortedStore<Limit>,
        options: StorageOptions
    ) throws(StorageError) {
        self.factory = factory
        storageType = factory.storageType
        super.init(store: store, options: options)
        try lay()
    }

    func beginRead() throws(StorageError) -> any ReadTransaction {
        SortedReadTransaction(self, try beginBaseRead(), isWriter: false)
    }

    func beginWrite(patience: Duration?) throws(StorageError) -> any WriteTransaction {
        SortedWriteTransaction(writing: self, try beginBaseWrite(patience: patience))
    }

    func copy(
        toDirectory directory: String,
        options copyOptions: StorageCopyOptions,
        progress: (_ done: UInt64, _ of: UInt64) throws(StorageError) -> Void
    ) throws(StorageError) {
        try checkOpen()
        try requireSame(copyOptions)
        let target = SortedStore<Limit>()
        try copy(to: target, progress)
        factory.stores.withLock { $0[directory] = target }
    }
}

final class SortedReadTransaction<Limit: KeyLimit>: KVReadTransaction<SortedStore<Limit>>, ReadTransaction {}

final class SortedWriteTransaction<Limit: KeyLimit>: KVWriteTransaction<SortedStore<Limit>>, WriteTransaction {}

/// Opens stores in memory that outlive their engines.
final class SortedEngineFactory<Limit: KeyLimit>: StorageEngineFactory {
    let storageType: StorageType
    let capabilities = StorageCapabilities.ofSortedStores
    /// By their directories, in which there is nothing.
    let stores = Locked<[String: SortedStore<Limit>]>([:])

    init() throws { storageType = try StorageType("sorted") }

    func open(directory: String, options: StorageOptions) throws(StorageError) -> any StorageEngine {
        try requireSupport(for: options)
        var options = options
        if options.immutable { options.readOnly = true }
        if let store = stores.withLock({ $0[directory] }) {
            try options.requireNoneToBeBuilt()
            let engine = try SortedEngine(self, store, options: options)
            try engine.compression.requireSame(as: options.compression)
            return engine
        }
        guard options.create, !options.readOnly else {
            throw StorageError(.notFound, "There is no store. Open it with the create option.")
        }
        let store = SortedStore<Limit>()
        let engine = try SortedEngine(self, store, options: options)
        stores.withLock { $0[directory] = store }
        return engine
    }
}

extension StorageCapabilities {
    static let ofSortedStores = StorageCapabilities(
        sharing: .exclusive,
        canCopy: true,
        compressions: [.uncompressed, .lz4]
    )
}
