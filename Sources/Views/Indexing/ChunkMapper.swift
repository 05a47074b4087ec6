internal import Dispatch
internal import SetteeEngine
internal import StorageProtocol
internal import Synchronization

/// Runs map functions over a chunk, on several threads.
struct ChunkMapper {
    /// A function, and the last sequence that its index has seen.
    struct Work: Sendable {
        var function: ViewFunction
        var after: UInt64
    }

    /// The rows of one function for a chunk.
    struct Rows: Sendable {
        /// One batch for each group of documents, in order; it has no documents if the index has seen them all.
        var batches: [IndexBatch] = []
        var faults = EmitFaults()
        /// A document for which the function threw, for the log.
        var failed: DocumentID?

        /// Adds the rows of another chunk.
        mutating func add(_ other: Rows) {
            batches += other.batches
            faults.add(other.faults)
            failed = failed ?? other.failed
        }

        /// Counts and logs the faults of the function.
        func note(as name: ViewName, in database: Database) {
            guard !faults.isEmpty else { return }
            database.viewRegistry.add(faults, to: name)
            let view = "\(database.name): view '\(name.string)'"
            if faults.failed > 0 {
                let example = failed.map { ", as \(Log.tag($0))" } ?? ""
                Log.log(.error, .view, "\(view): the map function threw for \(faults.failed) documents\(example)")
            }
            if faults.refused > 0 {
                Log.log(
                    .warning,
                    .view,
                    """
                    \(view): rows were left out: \(faults.nilKeys) without a key, \(faults.badRows) whose key or value \
                    cannot be stored
                    """
                )
            }
        }
    }

    let database: Database
    let threads: Int
    /// A group has no more documents than this.
    var largestGroup = 512

    /// Fewer documents than this are not worth another thread.
    static let smallestGroup = 64

    /// Returns the documents whose rows form each batch.
    func groups(of chunk: DocumentChunk) -> [Range<Int>] {
        let count = chunk.entries.count
        let size = min(max(count / threads, ChunkMapper.smallestGroup), largestGroup)
        return stride(from: 0, to: count, by: size).map { $0..<min($0 + size, count) }
    }

    /// - Throws: an error of a function that ends the update.
    func map(_ chunk: DocumentChunk, _ works: [Work]) throws(StorageError) -> [Rows] {
        let groups = groups(of: chunk)
        let results = Locked<[Result<[Rows], StorageError>]>(Array(repeating: .success([]), count: groups.count))
        @Sendable func run(_ group: Int) {
            let rows = Result<[Rows], StorageError> { () throws(StorageError) in
                try works.map { (work) throws(StorageError) in try map(chunk, groups[group], work) }
            }
            results.withLock { $0[group] = rows }
        }
        if threads == 1 || groups.count < 2 {
            for group in groups.indices { run(group) }
        } else {
            let (count, threads) = (groups.count, min(threads, groups.count))
            DispatchQueue.concurrentPerform(iterations: threads) { thread in
                for group in count * thread / threads..<count * (thread + 1) / threads { run(group) }
            }
        }
        let all = try results.withLock { $0 }.map { (rows) throws(StorageError) in try rows.get() }
        return works.indices.map { number in
            var merged = Rows()
            for group in all { merged.add(group[number]) }
            return merged
        }
    }

    private func map(_ chunk: DocumentChunk, _ group: Range<Int>, _ work: Work) throws(StorageError) -> Rows {
        let emitter = MapEmitter(EmittedRows(work.function.collation.collator))
        var rows = Rows()
        let failed = try database.withClosure("map") { () throws(StorageError) in
            let entries = chunk.entries[group].lazy.filter { $0.sequence > work.after }
            return try work.function.run(entries, of: chunk, into: emitter)
        }
        if let failed { rows.failed = chunk.withID(failed) { id in try? DocumentID(stored: id) } }
        rows.batches = [emitter.rows.batch]
        rows.faults = emitter.rows.faults
        return rows
    }
}
