public import StorageProtocol

/// The state that a transaction has to track: its thread, whether it is over or doomed, and how many closures of its
/// callers are running.
///
/// Calling it at the start of each of a transaction's calls fulfils most of the contract's rules about threads, nesting
/// and failures:
///
/// ```swift
/// func setInfo(_ value: [UInt8]?, for key: String) throws(StorageError) {
///     try transactionGuard.checkWrite()
///     try transactionGuard.noting { () throws(StorageError) in ... }
/// }
/// ```
///
/// Like its transaction, it belongs to the thread that made it. It may be released on any thread.
public final class TransactionGuard {
    private let gate: WriterGate
    private let isWriter: Bool
    private let thread = ThreadIdentity.current
    private let atEnd: () -> Void
    private var runningClosures = 0
    private var hasReleased = false
    /// Whether the error being thrown comes from a caller's closure.
    private var isCallersError = false
    /// Whether the transaction has ended.
    public private(set) var isOver = false
    /// The error that has doomed the transaction, so that it can only be rolled back.
    public private(set) var fault: StorageError?

    /// - Parameters:
    ///   - gate: The engine's gate. Once it is closed, every call throws `notOpen` (503).
    ///   - isWriter: Whether this is the write transaction. A read transaction is never doomed: after a failure, other
    ///     content may still be readable.
    ///   - atEnd: Releases what the transaction holds. It runs once: when the transaction has ended and none of its
    ///     closures is running any more, or when the guard is released. It must not retain the transaction.
    public init(_ gate: WriterGate, isWriter: Bool, atEnd: @escaping () -> Void) {
        self.gate = gate
        self.isWriter = isWriter
        self.atEnd = atEnd
    }

    deinit { if !hasReleased { atEnd() } }

    /// For calls that read.
    ///
    /// - Throws: `callback` (593) on a thread other than the transaction's; `notOpen` (503) once the transaction or the
    ///   engine has ended; the error that has doomed the transaction.
    public func check() throws(StorageError) {
        if thread != ThreadIdentity.current { throw .wrongThread }
        if isOver { throw .transactionIsOver }
        if gate.isClosed { throw .closed }
        if let fault { throw fault }
    }

    /// For calls that write, and for `commit`.
    ///
    /// - Throws: As `check`; `callback` (593) inside a closure of this transaction.
    public func checkWrite() throws(StorageError) {
        try check()
        if runningClosures > 0 { throw .writeInClosure }
    }

    /// Runs the engine's part of a call. A storage failure in it dooms a write transaction. A refusal, or an error of a
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

    /// Runs writes of an engine that belong together, inside `noting` and without closures of callers. If one is
    /// refused, the writes before it have already been made, so any refusal dooms the transaction.
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

    /// Runs a caller's closure, inside `noting`. Until it returns, the transaction refuses writes, and borrowed memory
    /// stays valid.
    ///
    /// - Throws: The error of the closure; `notOpen` (503) if it has ended the transaction.
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

    /// Ends the transaction. Does nothing at a second call, or on a thread other than the transaction's.
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
