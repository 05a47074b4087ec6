internal import Dispatch
internal import StorageProtocol

extension SQLiteEngine {
    func beginRead() throws(StorageError) -> any ReadTransaction {
        try SQLiteReadTransaction(atOnce: self, takeReader())
    }

    func beginSingleRead() throws(StorageError) -> any ReadTransaction {
        SQLiteReadTransaction(self, try takeReader())
    }

    /// Returns a reader connection for exclusive use until `giveReader`.
    ///
    /// - Throws: `busy` (595) if the maximum number is in use, none comes back in time, and the thread has none.
    func takeReader() throws(StorageError) -> Connection {
        let thread = ThreadIdentity.current
        var answer = try state.withLock { (state) throws(StorageError) -> ReaderPool.Answer? in
            try checkOpen()
            state.transactions += 1
            return state.readers.take(thread)
        }
        if case .wait(let reader) = answer {
            _ = reader.semaphore.wait(timeout: .now() + readerPatience)
            answer = state.withLock { $0.readers.answer(to: reader) }
        }
        switch answer {
        case .connection(let connection): return connection
        case .place: return try openReader(thread)
        case .wait, nil:
            state.withLock { $0.transactions -= 1 }
            try checkOpen()
            throw StorageError(
                .busy,
                "As many snapshots of the database are open in this process as may be "
                    + "(\(state.withLock { $0.readers.limit })). "
                    + "End some, or read on fewer threads at a time."
            )
        }
    }

    /// Opens a connection in the slot that the thread was given.
    private func openReader(_ thread: ThreadIdentity) throws(StorageError) -> Connection {
        do {
            let connection = try settings.reader()
            state.withLock { $0.readers.didOpen(connection, thread) }
            return connection
        } catch {
            state.withLock { state in
                state.readers.didNotOpen()
                state.transactions -= 1
            }
            didClose(1)
            throw error
        }
    }

    func giveReader(_ connection: Connection) {
        // A connection whose transaction did not end would give its next user an old state.
        let isSound = !connection.isInTransaction
        let isKept = state.withLock { state in
            state.transactions -= 1
            for number in connection.droppedIndexes { connection.forgetIndex(number) }
            connection.droppedIndexes = []
            return state.readers.give(connection, isUsable: isSound && !isClosed)
        }
        if isKept { return }
        connection.close()
        didClose(1)
    }

    /// Makes every connection discard the statements of indexes that a commit has dropped.
    func didDropIndexes(_ numbers: [Int64]) {
        if !numbers.isEmpty { state.withLock { $0.readers.forgetIndexes(numbers) } }
    }
}
