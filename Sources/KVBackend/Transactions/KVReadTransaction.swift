internal import StorageProtocol

/// A snapshot; also the reading half of the write transaction.
///
/// Says nothing of `ReadTransaction`: a generic class's conformance is compiled once for all stores, with every call
/// through the seam dynamic. The concrete subclass of each store declares it, and gets the code made for that store.
class KVReadTransaction<Store: OrderedStore> {
    final let engine: KVEngine<Store>
    /// The store's own transaction.
    final let base: Store.Transaction
    /// Whether this is the write transaction.
    final let isWriter: Bool
    /// How many closures of this transaction run now, one inside another.
    final private(set) var runningClosures = 0
    final private(set) var isOver = false
    /// Why this write transaction can only be rolled back.
    final private(set) var fault: StorageError?
    /// Whether the error on its way out is that of a caller's closure.
    private final var isCallersError = false
    /// Encodes and decodes bodies.
    final private(set) lazy var codec = BodyCodec(
        transaction: base,
        cache: engine.dictionaries,
        compression: engine.compression
    )
    private final let thread = ThreadIdentity.current
    /// What the write transaction knows of the record that was looked up or written last.
    final var last: KnownRecord?
    /// What the write transaction knows of the greatest document ID.
    final var ceiling = HighestID()
    /// The store's numbers with what the write transaction has changed, once they are known.
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

    /// What the caller ends it with; a write transaction is rolled back. A write transaction stays as it is where
    /// another thread calls: the store's belongs to its thread.
    final func end() {
        if !isWriter || isOnItsThread { finish() }
    }

    /// Ends the transaction; where a closure of it runs, what it was lent stays until that returns.
    final func finish() {
        guard !isOver else { return }
        isOver = true
        if runningClosures == 0 { release() }
    }

    /// Gives the store's transaction back. Called once, when nothing runs.
    private func release() {
        base.end()
        engine.didEnd(isWriter: isWriter)
    }

    // MARK: Checks

    /// Throws where the transaction cannot be used: after its end, after the engine's, from another thread, doomed. The
    /// one check at the top of every call that reads.
    @inline(__always)
    final func check() throws(StorageError) {
        if isOver || engine.isClosed || !isOnItsThread || fault != nil { throw refusal() }
    }

    /// As `check`, for a call that writes: it is also refused inside a closure of this transaction.
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

    /// Notes an error that leaves a call: a failure of the store dooms the write transaction, an error of a caller's
    /// closure does not.
    ///
    /// - Returns: the error.
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

    /// Does what a call does, after its check, and notes what fails.
    @inline(__always)
    final func noting<R>(_ body: () throws(StorageError) -> R) throws(StorageError) -> R {
        do throws(StorageError) {
            return try body()
        } catch {
            throw failed(error)
        }
    }

    /// Runs a caller's closure, inside `noting`; until it returns the transaction refuses writes.
    ///
    /// - Throws: what the closure throws; `notOpen` (503) where it has ended the transaction.
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
