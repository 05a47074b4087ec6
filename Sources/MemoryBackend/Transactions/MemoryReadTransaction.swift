internal import StorageProtocol

/// A snapshot; also the reading half of the write transaction, whose `state` changes under its own hands.
class MemoryReadTransaction: ReadTransaction {
    final let engine: MemoryEngine
    final var state: MemoryState
    /// How many closures of this transaction run now, one inside another.
    final private(set) var runningClosures = 0
    final var isOver = false
    private final let thread = ThreadIdentity.current

    init(_ engine: MemoryEngine, _ state: MemoryState) {
        self.engine = engine
        self.state = state
    }

    deinit { end() }

    func end() {
        guard !isOver else { return }
        isOver = true
        state = MemoryState()
        engine.didEndRead()
    }

    /// Throws where the transaction cannot be used: after its end, after the engine's, from another thread.
    final func check() throws(StorageError) {
        if isOver {
            throw StorageError(.notOpen, "The transaction is over. Begin a new one.")
        }
        try engine.checkOpen()
        if thread != ThreadIdentity.current {
            throw StorageError(
                .callback,
                "A transaction belongs to the thread that began it. Begin one on this thread."
            )
        }
    }

    /// Runs a caller's closure; until it returns the transaction refuses writes.
    final func hand<R>(_ body: () throws(StorageError) -> R) throws(StorageError) -> R {
        runningClosures += 1
        defer { runningClosures -= 1 }
        return try body()
    }
}
