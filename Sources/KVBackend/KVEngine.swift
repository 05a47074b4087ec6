internal import StorageEngineKit
internal import StorageProtocol
internal import Synchronization

/// A store of documents on an ordered key-value store. The concrete subclass of each store declares `StorageEngine`, as
/// with `KVReadTransaction`.
class KVEngine<Store: OrderedStore>: @unchecked Sendable {
    // Sendable because its variables are atomic, except `compression`, which only the initializer sets. Subclasses add
    // none.
    final let store: Store
    final let options: StorageOptions
    /// How the store keeps bodies, set by `lay`.
    final var compression = Compression.uncompressed
    final let dictionaries = DictionaryCache()
    final let knownIndexes = KnownIndexes()
    private final let gate = WriterGate()
    /// The number of live transactions in the low 32 bits, and of other uses of the store in the next 31. The top bit
    /// is set once the engine is closed. The store is closed when only the top bit is left.
    private final let uses = Atomic<UInt64>(0)
    private final let isStoreClosed = Atomic<Bool>(false)

    private static var closedBit: UInt64 { 1 << 63 }
    private static var transaction: UInt64 { 1 }
    private static var otherUse: UInt64 { 1 << 32 }

    init(store: Store, options: StorageOptions) {
        self.store = store
        self.options = options
    }

    deinit { close() }

    // MARK: Transactions

    /// Begins and counts a snapshot of the store. `KVReadTransaction.finish` ends it.
    @inline(__always)
    final func beginBaseRead() throws(StorageError) -> Store.Transaction {
        try enter(KVEngine.transaction)
        do throws(StorageError) {
            return try store.beginRead()
        } catch {
            leave(KVEngine.transaction)
            throw error
        }
    }

    /// Begins and counts the store's write transaction. Waits while another thread has one.
    ///
    /// - Parameter patience: How long to wait; nil: as long as it takes.
    final func beginBaseWrite(patience: Duration? = nil) throws(StorageError) -> Store.Transaction {
        if isClosed { throw .closed }
        if options.readOnly { throw .readOnly }
        try gate.enter(patience: patience)
        do throws(StorageError) {
            try enter(KVEngine.transaction)
            do throws(StorageError) {
                return try store.beginWrite()
            } catch {
                leave(KVEngine.transaction)
                throw error
            }
        } catch {
            gate.leave()
            throw error
        }
    }

    /// Runs `body` while no other thread writes through this engine. Another process may have its write transaction.
    ///
    /// - Parameter waiting: Called several times a second while another thread writes.
    final func withoutWriters(
        waiting: () throws(StorageError) -> Void,
        _ body: () throws(StorageError) -> Void
    ) throws(StorageError) {
        while true {
            do throws(StorageError) {
                try gate.enter(patience: .milliseconds(100))
                break
            } catch {
                guard error.code == .busy else { throw error }
            }
            try waiting()
        }
        defer { gate.leave() }
        try body()
    }

    final func didEnd(isWriter: Bool) {
        leave(KVEngine.transaction)
        if isWriter { gate.leave() }
    }

    /// Called when a damaged entry was found. A store whose library trusts its pages can have all of them checked at
    /// the next open.
    func didFindDamage() {}

    // MARK: The store's life

    @inline(__always)
    final var isClosed: Bool { uses.load(ordering: .acquiring) & KVEngine.closedBit != 0 }

    final var openTransactions: Int { Int(UInt32(truncatingIfNeeded: uses.load(ordering: .acquiring))) }

    /// Runs `body` and keeps the store open until it returns.
    ///
    /// - Throws: `notOpen` (503) after `close`; the error of `body`.
    final func using<R>(_ body: (Store) throws(StorageError) -> R) throws(StorageError) -> R {
        try enter(KVEngine.otherUse)
        defer { leave(KVEngine.otherUse) }
        return try body(store)
    }

    @inline(__always)
    private final func enter(_ use: UInt64) throws(StorageError) {
        if uses.wrappingAdd(use, ordering: .acquiringAndReleasing).oldValue & KVEngine.closedBit != 0 {
            leave(use)
            throw .closed
        }
    }

    @inline(__always)
    private final func leave(_ use: UInt64) {
        if uses.wrappingSubtract(use, ordering: .acquiringAndReleasing).newValue == KVEngine.closedBit { closeStore() }
    }

    private func closeStore() {
        if !isStoreClosed.exchange(true, ordering: .acquiringAndReleasing) { store.close() }
    }

    /// Closes without waiting: the store is closed when the last transaction ends.
    final func close() {
        let closed = uses.bitwiseOr(KVEngine.closedBit, ordering: .acquiringAndReleasing)
        guard closed.oldValue & KVEngine.closedBit == 0 else { return }
        gate.close()
        if closed.newValue == KVEngine.closedBit {
            closeStore()
        } else {
            store.linger()
        }
    }
}
