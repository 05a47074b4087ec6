internal import SetteeEngine
internal import StorageProtocol

/// Fills indexes, run by run: maps documents that are new in them into memory, as many as its bounds allow, and then
/// writes all their rows in the order of their keys, in short transactions.
///
/// Rows in order fill pages one after another, where rows in the order of documents change nearly all pages with every
/// transaction. While rows are written the index is of no use, and is made again after a kill; between runs it is one
/// as any other. What comes after the documents that the index was begun with is for `IndexUpdater`.
struct FirstBuild {
    private let database: Database
    private let targets: [IndexTarget]
    private let cancellation: Cancellation?

    /// How many rows are looked up together, while those before are written.
    private static let rowsAtATime = 8192

    /// - Parameter targets: those that have no index, or one that has not seen all documents it was begun with.
    init(_ database: Database, _ targets: [IndexTarget], _ cancellation: Cancellation?) {
        self.database = database
        self.targets = targets
        self.cancellation = cancellation
    }

    /// One run.
    func run() throws(StorageError) {
        let writers = try writers()
        // Where somebody else was quicker, the next look will show how far that one is.
        guard writers.count == targets.count else { return }
        let queue = BulkLoadQueue()
        let mapping = BulkLoadMapper(
            database,
            zip(targets, writers).map { ChunkMapper.Work(function: $0.function, after: $1.seen) },
            upTo: writers.map(\.fresh).min() ?? 0,
            cancellation
        ) { number, batches in
            guard writers[number].isMade else { return false }
            // Records of documents whose IDs ascend come in their order anyway: they need not wait.
            queue.add { () throws(StorageError) in try writers[number].write(IndexLoad(batches, hasRows: false)) }
            return true
        }
        let mapped = Result { () throws(StorageError) in try mapping.run() }
        if case .success(var rest) = mapped {
            for number in writers.indices {
                let rows = rest.rows[number]
                let begun = rest.begun[number]
                (rest.rows[number], rest.begun[number]) = (ChunkMapper.Rows(), [])
                rows.note(as: writers[number].name, in: database)
                write(rows.batches, begun, to: writers[number], last: rest.last, queue)
            }
        }
        try queue.finish()
        _ = try mapped.get()
    }

    private func write(
        _ batches: [IndexBatch],
        _ begun: [IndexBatch],
        to writer: BulkLoadWriter,
        last: UInt64,
        _ queue: BulkLoadQueue
    ) {
        queue.add { () throws(StorageError) in try writer.begin() }
        let load = IndexLoad(begun + batches, hasDocuments: false)
        for first in stride(from: 0, to: load.rowCount, by: FirstBuild.rowsAtATime) {
            let part = load.part(rows: first..<min(first + FirstBuild.rowsAtATime, load.rowCount))
            queue.add { () throws(StorageError) in try writer.write(part) }
        }
        if !batches.isEmpty {
            let documents = IndexLoad(batches, hasRows: false)
            queue.add { () throws(StorageError) in try writer.write(documents) }
        }
        let hasRows = load.rowCount > 0
        queue.add { () throws(StorageError) in try writer.finish(at: last, hasRows: hasRows) }
    }

    private func writers() throws(StorageError) -> [BulkLoadWriter] {
        if targets.allSatisfy({ $0.entry != nil }) {
            return targets.compactMap { target in
                target.entry.map { BulkLoadWriter(database, target.name, $0, seen: target.lastSequence, isMade: false) }
            }
        }
        return try database.change { (session) throws(StorageError) in
            var writers: [BulkLoadWriter] = []
            for target in targets {
                if let entry = target.entry {
                    writers.append(
                        BulkLoadWriter(database, target.name, entry, seen: target.lastSequence, isMade: false)
                    )
                } else if let entry = try target.create(filler: database.openingName, in: session, of: database) {
                    writers.append(BulkLoadWriter(database, target.name, entry, seen: 0, isMade: true))
                } else {
                    break
                }
            }
            return writers
        }
    }
}
