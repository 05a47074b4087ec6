internal import StorageEngineKit
internal import StorageProtocol

/// A snapshot, and the superclass of the write transaction, which changes `state`.
class MemoryReadTransaction: ReadTransaction {
    final let engine: MemoryEngine
    final let transactionGuard: TransactionGuard
    final var state: MemoryState

    init(_ engine: MemoryEngine, _ state: MemoryState, isWriter: Bool) {
        self.engine = engine
        self.state = state
        transactionGuard = TransactionGuard(engine.gate, isWriter: isWriter) { engine.didEnd(isWriter: isWriter) }
    }

    final func end() {
        guard !transactionGuard.isOver else { return }
        transactionGuard.end()
        // A call from another thread does not end it.
        if transactionGuard.isOver { state = MemoryState() }
    }

    /// For calls that read.
    final func check() throws(StorageError) { try transactionGuard.check() }

    /// Runs a caller's closure.
    final func hand<R>(_ body: () throws(StorageError) -> R) throws(StorageError) -> R {
        try transactionGuard.noting { () throws(StorageError) in try transactionGuard.hand(body) }
    }
}
