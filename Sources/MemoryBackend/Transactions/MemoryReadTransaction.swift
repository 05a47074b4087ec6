internal import StorageProtocol

/// A snapshot; also the reading half of the write transaction, whose `state` changes under its own hands.
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
        // On another thread it goes on.
        if transactionGuard.isOver { state = MemoryState() }
    }

    /// For calls that read.
    final func check() throws(StorageError) { try transactionGuard.check() }

    /// Runs a caller's closure.
    final func hand<R>(_ body: () throws(StorageError) -> R) throws(StorageError) -> R {
        try transactionGuard.noting { () throws(StorageError) in try transactionGuard.hand(body) }
    }
}
