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

    /// How many rows or documents are looked up together while earlier ones are written.
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
        ) { number, load in
            guard writers[number].isMade else { return false }
            // Records of documents with ascending IDs come in key order anyway, so they can be written at once.
            queue.add { () throws(StorageError) in try writers[number].writeDocuments(of: load) }
            return true
        }
        var failure: StorageError?
        do throws(StorageError) {
            let mapped = try mapping.run()
            for number in writers.indices {
                mapped.parts[number].counts.note(as: writers[number].name, in: database)
                write(mapped.parts[number], to: writers[number], last: mapped.last, queue)
            }
        } catch {
            failure = error
        }
        try queue.finish()
        if let failure { throw failure }
    }

    /// Writes rows and documents in their order, while the next ones are looked up.
    private func write(
        _ mapped: BulkLoadMapper.Mapped.Part,
        to writer: BulkLoadWriter,
        last: UInt64,
        _ queue: BulkLoadQueue
    ) {
        queue.add { () throws(StorageError) in try writer.begin() }
        var rows = LoadMerge(rowsOf: mapped.loads)
        while let part = rows.next(FirstBuild.rowsAtATime) {
            queue.add { () throws(StorageError) in try writer.writeRows(of: part) }
        }
        var documents = LoadMerge(documentsOf: mapped.unbegun)
        while let part = documents.next(FirstBuild.rowsAtATime) {
            queue.add { () throws(StorageError) in try writer.writeDocuments(of: part) }
        }
        let hasRows = !mapped.loads.isEmpty
        queue.add { () throws(StorageError) in try writer.finish(at: last, hasRows: hasRows) }
    }

    private func writers() throws(StorageError) -> [BulkLoadWriter] {
        if targets.allSatisfy({ $0.entry != nil }) {
            return targets.compactMap { target in
                target.entry.map { BulkLoadWriter(database, target.name, $0, seen: target.lastSequence, isMade: false) }
            }
        }
        // In the background, so that it does not look as if somebody were writing, which stops mapping threads.
        return try database.change(inBackground: true) { (session) throws(StorageError) in
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
