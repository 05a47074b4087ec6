internal import Dispatch
internal import StorageProtocol
internal import Synchronization

/// Runs map functions over a chunk, on several threads.
struct ChunkMapper {
    /// A function, and the sequence up to which its index has seen everything.
    struct Work: Sendable {
        var function: ViewFunction
        var after: UInt64
    }

    /// What one function made of a chunk.
    struct Rows: Sendable {
        var batches: [IndexBatch] = []
        var faults = EmitFaults()
        /// A document for which the function threw, for the log.
        var failed: DocumentID?
    }

    let database: Database
    let threads: Int

    /// Fewer documents than this are not worth another thread.
    private static let documentsPerThread = 64

    func map(_ chunk: DocumentChunk, _ works: [Work]) -> [Rows] {
        let count = chunk.entries.count
        let parts = max(1, min(threads, count / ChunkMapper.documentsPerThread))
        let results = Locked<[[Rows]]>(Array(repeating: [], count: parts))
        @Sendable func run(_ part: Int) {
            let slice = count * part / parts..<count * (part + 1) / parts
            let rows = works.map { map(chunk, slice, $0) }
            results.withLock { $0[part] = rows }
        }
        if parts == 1 { run(0) } else { DispatchQueue.concurrentPerform(iterations: parts, execute: run) }
        let all = results.withLock { $0 }
        return works.indices.map { number in
            var merged = Rows()
            for part in all {
                if !part[number].batches[0].isEmpty { merged.batches += part[number].batches }
                merged.faults.add(part[number].faults)
                merged.failed = merged.failed ?? part[number].failed
            }
            return merged
        }
    }

    private func map(_ chunk: DocumentChunk, _ slice: Range<Int>, _ work: Work) -> Rows {
        let emitter = MapEmitter(EmittedRows(work.function.collation.collator))
        var rows = Rows()
        database.withClosure("map") {
            for entry in chunk.entries[slice] where entry.sequence > work.after {
                if !work.function.run(entry, of: chunk, into: emitter) {
                    rows.failed = rows.failed ?? chunk.withID(entry) { id in try? DocumentID(stored: id) }
                }
            }
        }
        rows.batches = [emitter.rows.batch]
        rows.faults = emitter.rows.faults
        return rows
    }
}
