internal import SetteeEngine
internal import StorageEngineKit
internal import StorageProtocol

/// Fills indexes in runs. Each run maps as many documents that are new to the indexes as fit its limits into memory,
/// and then writes all their rows in the order of their keys, in short transactions.
///
/// Rows in key order fill one page after another, while rows in document order change nearly all pages in every
/// transaction. While rows are being written the index cannot be used; if the process is killed, it is created again.
/// Between runs it is a normal index. Documents that changed after the index was created are left to `IndexUpdater`.
struct FirstBuild {
    private let database: Database
    private let targets: [IndexTarget]
    private let cancellation: Cancellation?

    /// How many rows are looked up together while earlier ones are written.
    private static let rowsAtATime = 8192

    /// - Parameter targets: the indexes that do not exist yet, or have not seen all documents that existed when they
    ///   were created.
    init(_ database: Database, _ targets: [IndexTarget], _ cancellation: Cancellation?) {
        self.database = database
        self.targets = targets
        self.cancellation = cancellation
    }

    /// Does one run.
    func run() throws(StorageError) {
        let writers = try writers()
        // If another process was faster, the next step shows how far it is.
        guard writers.count == targets.count else { return }
        let queue = BulkLoadQueue()
        let mapping = BulkLoadMapper(
            database,
            zip(targets, writers).map { ChunkMapper.Work(mapper: $0.mapper, after: $1.seen) },
            upTo: writers.map(\.fresh).min() ?? 0,
            cancellation
        ) { number, batches in
            guard writers[number].isMade else { return false }
            // Records of documents with ascending IDs come in key order anyway, so they can be written at once.
            queue.add { () throws(StorageError) in
                try writers[number].writeDocuments(of: IndexLoad(batches, hasRows: false))
            }
            return true
        }
        var failure: StorageError?
        do throws(StorageError) {
            // Nothing else holds what was mapped, so that it can be freed as it is written.
            var rest = try mapping.run()
            for number in writers.indices {
                rest.rows[number].note(as: writers[number].name, in: database)
                write(&rest.rows[number].batches, &rest.begun[number], to: writers[number], last: rest.last, queue)
            }
        } catch {
            failure = error
        }
        try queue.finish()
        if let failure { throw failure }
    }

    /// - Parameters:
    ///   - batches: taken, so that rows are in memory once.
    ///   - begun: those of documents whose records are written already; taken, too.
    private func write(
        _ batches: inout [IndexBatch],
        _ begun: inout [IndexBatch],
        to writer: BulkLoadWriter,
        last: UInt64,
        _ queue: BulkLoadQueue
    ) {
        queue.add { () throws(StorageError) in try writer.begin() }
        let documents = begun.isEmpty || batches.isEmpty ? nil : IndexLoad(batches, hasRows: false)
        let hasDocuments = begun.isEmpty
        begun += batches
        batches = []
        let load = IndexLoad(taking: &begun, hasDocuments: hasDocuments)
        for first in stride(from: 0, to: load.rowCount, by: FirstBuild.rowsAtATime) {
            let part = load.part(rows: first..<min(first + FirstBuild.rowsAtATime, load.rowCount))
            queue.add { () throws(StorageError) in try writer.writeRows(of: part) }
        }
        if hasDocuments {
            queue.add { () throws(StorageError) in try writer.writeDocuments(of: load) }
        } else if let documents {
            queue.add { () throws(StorageError) in try writer.writeDocuments(of: documents) }
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
