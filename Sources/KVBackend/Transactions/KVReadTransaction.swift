internal import StorageProtocol

/// A snapshot, and the superclass of the write transaction.
///
/// It does not declare `ReadTransaction`: a generic class's conformance is compiled once for all stores, with every
/// call through the protocol dynamic. The concrete subclass of each store declares it, and gets code specialised for
/// that store.
class KVReadTransaction<Store: OrderedStore> {
    final let engine: KVEngine<Store>
    /// The store's own transaction.
    final let base: Store.Transaction
    /// Whether this is the write transaction.
    final let isWriter: Bool
    /// How many nested closures of this transaction are running.
    final private(set) var runningClosures = 0
    final private(set) var isOver = false
    /// The error because of which this write transaction can only be rolled back.
    final private(set) var fault: StorageError?
    /// Whether the error being thrown comes from a caller's closure.
    private final var isCallersError = false
    /// Encodes and decodes bodies.
    final private(set) lazy var codec = BodyCodec(
        transaction: base,
        cache: engine.dictionaries,
        compression: engine.compression
    )
    private final let thread = ThreadIdentity.current
    /// The record that the write transaction looked up or wrote last.
    final var last: KnownRecord?
    /// An ID of which the write transaction knows that there is no record.
    final var missing: DocumentID?
    /// What is known about the greatest document ID, in the write transaction.
    final var ceiling = HighestID()
    /// The store's numbers, with the changes of the write transaction, once they are known.
    final var known: StoreNumbers?

    init(_ engine: KVEngine<Store>, _ base: Store.Transaction, isWriter: Bool) {
        self.engine = engine
        self.base = base
        self.isWriter = isWriter
    }

    deinit { finish() }

    // MARK: Ending

    /// Whether the calling thread is the transaction's.
    final var isOnItsThread: Bool { thread == ThreadIdentity.current }

    /// Ends the transaction when the caller requests it; a write transaction is rolled back. On another thread a write
    /// transaction stays unchanged, because the store's belongs to its thread.
    final func end() {
        if !isWriter || isOnItsThread { finish() }
    }

    /// Ends the transaction. If one of its closures is running, the memory lent to it stays valid until it returns.
    final func finish() {
        guard !isOver else { return }
        isOver = true
        if runningClosures == 0 { release() }
    }

    /// Releases the store's transaction. Called once, when no closure is running.
    private func release() {
        base.end()
        engine.didEnd(isWriter: isWriter)
    }

    // MARK: Checks

    /// Throws if the transaction cannot be used: after its end or the engine's, from another thread, or if it is
    /// doomed. This is the only check at the start of every call that reads.
    @inline(__always)
    final func check() throws(StorageError) {
        if isOver || engine.isClosed || !isOnItsThread || fault != nil { throw refusal() }
    }

    /// Like `check`, for a call that writes. Inside a closure of this transaction that is refused, too.
    @inline(__always)
    final func checkWrite() throws(StorageError) {
        try check()
        if runningClosures > 0 { throw .writeInClosure }
    }

    @inline(never)
    private final func refusal() -> StorageError {
        if isOver { return .transactionIsOver }
        if engine.isClosed { return .closed }
        if !isOnItsThread { return .wrongThread }
        return fault ?? .transactionIsOver
    }

    /// Records an error thrown by a call: a failure of the store dooms the write transaction, an error of a caller's
    /// closure does not.
    ///
    /// - Returns: The error.
    @inline(never)
    final func failed(_ error: StorageError) -> StorageError {
        if isCallersError {
            isCallersError = false
            return error
        }
        if error.code == .corrupt { engine.didFindDamage() }
        if isWriter && fault == nil && error.code.isStorageFailure {
            fault = error
        }
        return error
    }

    /// Runs a call after its check, and records a failure.
    @inline(__always)
    final func noting<R>(_ body: () throws(StorageError) -> R) throws(StorageError) -> R {
        do throws(StorageError) {
            return try body()
        } catch {
            throw failed(error)
        }
    }

    /// Runs a caller's closure, inside `noting`. Until it returns, the transaction refuses writes.
    ///
    /// - Throws: The error of the closure; `notOpen` (503) if it has ended the transaction.
    @inline(__always)
    final func hand<R>(_ body: () throws(StorageError) -> R) throws(StorageError) -> R {
        runningClosures &+= 1
        let result: R
        do throws(StorageError) {
            result = try body()
        } catch {
            isCallersError = true
            didHand()
            throw error
        }
        didHand()
        return result
    }

    @inline(__always)
    private final func didHand() {
        runningClosures &-= 1
        if isOver && runningClosures == 0 { release() }
    }
}
