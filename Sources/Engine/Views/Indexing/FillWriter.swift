internal import StorageFiles
internal import StorageProtocol

/// Writes the rows of one new index, in short transactions between those of others.
struct FillWriter {
    let name: ViewName
    private let database: Database
    private let entry: ViewRecord.Entry

    /// How many rows a transaction writes at most, and how many of them before it looks whether a writer waits.
    private static let rowsAtATime = 16_384
    private static let rowsBetweenLooks = 256

    init(_ database: Database, _ name: ViewName, _ entry: ViewRecord.Entry) {
        self.database = database
        self.name = name
        self.entry = entry
    }

    /// No document up to this sequence has rows in the index yet.
    var fresh: UInt64 { entry.fresh }

    /// Writes a load, or nothing any more once the view was set anew or its index deleted.
    func write(_ load: IndexLoad) throws(StorageError) {
        var rows = 0
        var documents = 0
        var isThere = true
        while isThere && (rows < load.rowCount || documents < load.documentCount) {
            isThere = try database.change(inBackground: true) { (session) throws(StorageError) in
                guard try find(in: session.transaction) != nil else { return false }
                session.noteChange()
                var written = 0
                repeat {
                    let nextRows = rows..<min(rows + FillWriter.rowsBetweenLooks, load.rowCount)
                    let room = FillWriter.rowsBetweenLooks - nextRows.count
                    let nextDocuments = documents..<min(documents + room, load.documentCount)
                    if nextRows.isEmpty && nextDocuments.isEmpty { break }
                    try session.transaction.fillIndex(entry.index, from: load, rows: nextRows, documents: nextDocuments)
                    rows = nextRows.upperBound
                    documents = nextDocuments.upperBound
                    written += nextRows.count + nextDocuments.count
                } while written < FillWriter.rowsAtATime && !database.writers.isWanted
                return true
            }
        }
    }

    /// Makes the index one as any other, which has seen all sequences up to `last`.
    func finish(at last: UInt64, hasRows: Bool) throws(StorageError) {
        try database.change(inBackground: true) { (session) throws(StorageError) in
            let transaction = session.transaction
            guard let (found, place) = try find(in: transaction), var state = try transaction.indexState(entry.index)
            else { return }
            state.lastSequence = last
            state.lastChangedSequence = hasRows ? last : 0
            try transaction.setIndexState(entry.index, state)
            var record = found
            record.entries[place].filler = nil
            if try session.counters().lastSequence <= last { try record.complete(place, in: transaction) }
            try record.store(name, in: session)
        }
    }

    /// The place of the index in its view's record; nil where it is there no more.
    private func find(
        in transaction: any ReadTransaction
    ) throws(StorageError) -> (record: ViewRecord, place: Int)? {
        guard let record = try ViewRecord.load(name, in: transaction),
            let place = record.entries.firstIndex(where: { $0.index == entry.index })
        else { return nil }
        return (record, place)
    }
}

extension Database {
    /// Under what name this opening of the database fills indexes.
    var fillerName: String { folder?.holderName ?? "" }

    /// Whether the one who began to fill an index is another opening of the database, which still goes on.
    func isFilledElsewhere(_ filler: String) throws(StorageError) -> Bool {
        guard let folder, filler != folder.holderName else { return false }
        return try folder.isHeld(as: filler)
    }
}
