internal import Dispatch
internal import SetteeEngine
internal import StorageProtocol
internal import Synchronization

/// Runs mappers over a chunk, on several threads.
struct ChunkMapper {
    /// A mapper, and the last sequence that its index has seen.
    struct Work: Sendable {
        var mapper: any RowMapper
        var after: UInt64
    }

    /// The rows of one mapper for a chunk.
    struct Rows: Sendable {
        /// One batch for each group of documents, in order; it has no documents if the index has seen them all.
        var batches: [IndexBatch] = []
        var faults = EmitFaults()
        /// A document for which the mapper failed, for the log.
        var failed: DocumentID?

        /// Adds the rows of another chunk.
        mutating func add(_ other: Rows) {
            batches += other.batches
            faults.add(other.faults)
            failed = failed ?? other.failed
        }

        /// Counts and logs the faults of the mapper.
        func note(as name: IndexName, in database: Database) {
            guard !faults.isEmpty else { return }
            database.indexRegistry.add(faults, to: name)
            let index = "\(database.name): \(name.described)"
            if faults.failed > 0 {
                let example = failed.map { ", as \(Log.tag($0))" } ?? ""
                Log.log(
                    .error,
                    .view,
                    "\(index): the \(name.kind.words.mapper) threw for \(faults.failed) documents\(example)"
                )
            }
            if faults.refused > 0 {
                Log.log(
                    .warning,
                    .view,
                    """
                    \(index): rows were left out: \(faults.nilKeys) without a key, \(faults.badRows) whose key or value \
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

    /// - Throws: an error of a mapper that ends the update.
    func map(_ chunk: DocumentChunk, _ works: [Work]) throws(StorageError) -> [Rows] {
        let groups = groups(of: chunk)
        let results = Locked<[Result<[Rows], StorageError>]>(Array(repeating: .success([]), count: groups.count))
        @Sendable func run(_ group: Int) {
            let rows = Result<[Rows], StorageError> { () throws(StorageError) in
                try map(chunk, groups[group], works)
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

    private func map(_ chunk: DocumentChunk, _ group: Range<Int>, _ works: [Work]) throws(StorageError) -> [Rows] {
        var rows = Array(repeating: Rows(), count: works.count)
        var walked: [Int] = []
        var mappers: [(any DocumentMapper, Work)] = []
        for (number, work) in works.enumerated() {
            switch work.mapper.makeRowMaker() {
            case .groups(let mapper): rows[number] = try map(chunk, group, work, mapper)
            case .documents(let mapper):
                walked.append(number)
                mappers.append((mapper, work))
            }
        }
        if walked.isEmpty { return rows }
        let walk = DocumentWalk(mappers)
        try walk.map(chunk.entries[group], of: chunk)
        for (number, mapped) in zip(walked, walk.take()) { rows[number] = mapped }
        return rows
    }

    private func map(
        _ chunk: DocumentChunk,
        _ group: Range<Int>,
        _ work: Work,
        _ mapper: any GroupMapper
    ) throws(StorageError) -> Rows {
        var emitted = EmittedRows(work.mapper.order.collator)
        var rows = Rows()
        let failed = try database.withClosure("map") { () throws(StorageError) in
            let group = DocumentChunk.Group(entries: chunk.entries[group], after: work.after)
            return try mapper.map(group, of: chunk, into: &emitted)
        }
        if let failed { rows.failed = chunk.withID(failed) { id in try? DocumentID(stored: id) } }
        rows.batches = [emitted.batch]
        rows.faults = emitted.faults
        return rows
    }
}
