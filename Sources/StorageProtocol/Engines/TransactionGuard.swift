/// What a transaction has to know of itself: its thread, whether it is over or doomed, and how many of its callers'
/// closures run.
///
/// One call of it at the top of each of a transaction's calls keeps most of what the contract says of threads, nesting
/// and failures:
///
/// ```swift
/// func setInfo(_ value: [UInt8]?, for key: String) throws(StorageError) {
///     try transactionGuard.checkWrite()
///     try transactionGuard.noting { () throws(StorageError) in ... }
/// }
/// ```
///
/// Like its transaction it belongs to the thread that made it. It may be let go on any thread.
public final class TransactionGuard {
    private let gate: WriterGate
    private let isWriter: Bool
    private let thread = ThreadIdentity.current
    private let atEnd: () -> Void
    private var runningClosures = 0
    private var hasReleased = false
    /// Whether the error that is on its way out is one of a caller's closure.
    private var isCallersError = false
    /// Whether the transaction has ended.
    public private(set) var isOver = false
    /// Why it can only be rolled back.
    public private(set) var fault: StorageError?

    /// - Parameters:
    ///   - gate: the engine's; once that is closed every call is `notOpen` (503).
    ///   - isWriter: whether it is the write transaction's. A snapshot is never doomed: what it cannot read here it may
    ///     there.
    ///   - atEnd: gives back what the transaction holds. It runs once: when the transaction has ended and none of its
    ///     closures runs any more, or when the guard is let go. It must not hold the transaction.
    public init(_ gate: WriterGate, isWriter: Bool, atEnd: @escaping () -> Void) {
        self.gate = gate
        self.isWriter = isWriter
        self.atEnd = atEnd
    }

    deinit { if !hasReleased { atEnd() } }

    /// For calls that read.
    ///
    /// - Throws: `callback` (593) on another thread than the transaction's; `notOpen` (503) once it, or the engine, has
    ///   ended; what has doomed it.
    public func check() throws(StorageError) {
        if thread != ThreadIdentity.current { throw .wrongThread }
        if isOver { throw .transactionIsOver }
        if gate.isClosed { throw .closed }
        if let fault { throw fault }
    }

    /// For calls that write, and for `commit`.
    ///
    /// - Throws: as `check`; `callback` (593) inside a closure of this transaction.
    public func checkWrite() throws(StorageError) {
        try check()
        if runningClosures > 0 { throw .writeInClosure }
    }

    /// Does an engine's part of a call. A storage failure in it dooms a write transaction; a refusal, or an error of a
    /// closure inside `hand`, does not.
    public func noting<R>(_ work: () throws(StorageError) -> R) throws(StorageError) -> R {
        do throws(StorageError) {
            return try work()
        } catch {
            if isWriter, !isCallersError, fault == nil, error.code.isStorageFailure { fault = error }
            isCallersError = false
            throw error
        }
    }

    /// Makes writes of an engine that belong together, inside `noting` and without closures of callers. Where one is
    /// refused those before it are made already, so that the transaction is doomed whatever the refusal says.
    func together(_ work: () throws(StorageError) -> Void) throws(StorageError) {
        do throws(StorageError) {
            try work()
        } catch {
            if isWriter, fault == nil {
                fault = StorageError(
                    .storage,
                    "A change was refused when a part of it was made. Roll the transaction back, and leave that change "
                        + "out.",
                    cause: error
                )
            }
            throw error
        }
    }

    /// Runs a caller's closure, inside `noting`: until it returns the transaction refuses writes, and what it was lent
    /// stays.
    ///
    /// - Throws: what the closure throws; `notOpen` (503) where it has ended the transaction.
    public func hand<R>(_ closure: () throws(StorageError) -> R) throws(StorageError) -> R {
        runningClosures += 1
        isCallersError = false
        let result: R
        do throws(StorageError) {
            result = try closure()
        } catch {
            isCallersError = true
            didHand()
            throw error
        }
        isCallersError = false
        didHand()
        if isOver { throw .transactionIsOver }
        return result
    }

    /// Ends the transaction. Nothing happens the second time, and on another thread than the transaction's.
    public func end() {
        guard thread == ThreadIdentity.current, !isOver else { return }
        isOver = true
        releaseAtLast()
    }

    private func didHand() {
        runningClosures -= 1
        releaseAtLast()
    }

    private func releaseAtLast() {
        guard isOver, runningClosures == 0, !hasReleased else { return }
        hasReleased = true
        atEnd()
    }
}
