internal import Dispatch
internal import SetteeEngine
internal import StorageProtocol

/// A chunk, mapped for some indexes and ready to be written.
final class MappedChunk: Sendable {
    private let database: Database
    private let chunk: DocumentChunk
    private let targets: [IndexTarget]
    private let rows: [ChunkMapper.Rows]
    /// The documents whose rows each batch has.
    private let groups: [Range<Int>]
    /// The last sequence of the snapshot that the chunk was read from.
    private let last: UInt64
    private let outcome = Locked<Result<Bool, StorageError>?>(nil)
    private let finished = Latch()

    /// Maps a chunk for the indexes of a step.
    ///
    /// - Throws: an error of a mapper that ends the update.
    init(_ database: Database, _ chunk: DocumentChunk, _ step: IndexStep) throws(StorageError) {
        self.database = database
        self.chunk = chunk
        // A concurrent writer needs a processor, too, and waits until the rows of a group are written.
        let isBesideWriters = database.isBeingWritten
        var mapper = ChunkMapper(database: database, threads: isBesideWriters ? 1 : database.mappingThreads)
        if isBesideWriters { mapper.largestGroup = ChunkMapper.smallestGroup }
        rows = try mapper.map(chunk, step.targets.map(\.work))
        groups = mapper.groups(of: chunk)
        for (target, mapped) in zip(step.targets, rows) { mapped.note(as: target.name, in: database) }
        targets = step.targets
        last = step.last
    }

    /// The last sequence that each index will have seen once the chunk is written.
    var lastSequences: [String: UInt64] {
        var sequences: [String: UInt64] = [:]
        for target in targets {
            if let entry = target.entry { sequences[entry.index] = max(target.lastSequence, chunk.last) }
        }
        return sequences
    }

    /// Writes the chunk in transactions of its own, or in that of the calling thread. It takes one transaction if no
    /// other writer waits, else one for each group of documents.
    ///
    /// - Returns: false if another process was faster with one of the indexes, or one no longer exists.
    func write() throws(StorageError) -> Bool {
        // If the calling thread has a transaction, everything is part of it.
        let isJoined = database.isWriting
        var done = 0
        var seen = targets.map(\.lastSequence)
        repeat {
            let isTaken = try database.change(inBackground: true) { (session) throws(StorageError) in
                var updates: [IndexUpdate] = []
                for (target, sequence) in zip(targets, seen) {
                    guard let update = try IndexUpdate(target, expecting: sequence, in: session) else { return false }
                    updates.append(update)
                }
                repeat {
                    for number in updates.indices where done < groups.count {
                        let areNew = seen[number] < targets[number].fresh && chunk.last <= targets[number].fresh
                        try updates[number].replace(rows[number].batches[done], areNew: areNew)
                    }
                    done += 1
                } while done < groups.count && (isJoined || !database.hasWaitingWriters)
                let sequence = done < groups.count ? lowestSequence(from: done) - 1 : chunk.last
                for number in updates.indices {
                    let isCurrent = done >= groups.count && chunk.last >= last
                    seen[number] = try updates[number].finish(at: sequence, isCurrent: isCurrent)
                }
                return true
            }
            guard isTaken else { return false }
        } while done < groups.count
        return true
    }

    /// Returns the lowest sequence of the documents in a group and all later groups.
    private func lowestSequence(from group: Int) -> UInt64 {
        chunk.entries[groups[group].lowerBound...].map(\.sequence).min() ?? chunk.last
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

    /// Waits for the end of `startWriting`. - Returns: like `write`.
    func wait() throws(StorageError) -> Bool {
        finished.wait()
        return try outcome.withLock { $0 ?? .success(false) }.get()
    }
}
