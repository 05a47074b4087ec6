internal import Dispatch
internal import StorageProtocol

/// A chunk that was mapped for some indexes, on its way into the store.
final class MappedChunk: Sendable {
    private let database: Database
    private let chunk: DocumentChunk
    private let targets: [IndexTarget]
    private let rows: [ChunkMapper.Rows]
    /// The last sequence of the snapshot that the chunk was read from.
    private let last: UInt64
    private let outcome = Locked<Result<Bool, StorageError>?>(nil)
    private let finished = Turnstile()

    init(_ database: Database, _ chunk: DocumentChunk, _ step: IndexStep, _ rows: [ChunkMapper.Rows]) {
        self.database = database
        self.chunk = chunk
        self.rows = rows
        targets = step.targets
        last = step.last
    }

    /// How far the indexes are once it is written.
    var lastSequences: [String: UInt64] {
        var sequences: [String: UInt64] = [:]
        for target in targets {
            if let entry = target.entry { sequences[entry.index] = max(target.lastSequence, chunk.last) }
        }
        return sequences
    }

    /// Writes it in a transaction of its own, or in that of the calling thread.
    ///
    /// - Returns: false where another process was quicker with one of the indexes, or one is there no more.
    func write() throws(StorageError) -> Bool {
        try database.change { (session) throws(StorageError) in
            var isTaken = true
            for (target, mapped) in zip(targets, rows) {
                if try !target.apply(mapped.batches, of: chunk, upTo: last, in: session) { isTaken = false }
            }
            return isTaken
        }
    }

    // MARK: - On a thread of its own

    func startWriting(on queue: DispatchQueue) {
        queue.async {
            let result: Result<Bool, StorageError>
            do throws(StorageError) { result = .success(try self.write()) } catch { result = .failure(error) }
            self.outcome.withLock { $0 = result }
            self.finished.open()
        }
    }

    /// Waits for the end of `startWriting`. - Returns: as `write`.
    func wait() throws(StorageError) -> Bool {
        finished.wait()
        return try outcome.withLock { $0 ?? .success(false) }.get()
    }
}
