internal import SetteeEngine
internal import StorageProtocol
internal import Synchronization

/// Writes the rows of one index in one run, in short transactions between those of other writers. Stops if another
/// process has filled the index first, another version was set, or its index was deleted.
final class BulkLoadWriter: Sendable {
    let name: IndexName
    /// The sequence that the index had seen before this run.
    let seen: UInt64
    /// Whether the index was created for this run and already names it as the one filling it.
    let isMade: Bool
    private let database: Database
    private let entry: IndexRecord.Entry
    private let isOver = Atomic(false)

    /// The most rows that a transaction writes, and how many it writes before it checks for waiting writers.
    private typealias Limits = (rowsAtATime: Int, rowsBetweenLooks: Int)
    private static let alone: Limits = (16_384, 256)
    /// Others wait for the commit of the rows, too.
    private static let besideWriters: Limits = (1024, 64)

    init(_ database: Database, _ name: IndexName, _ entry: IndexRecord.Entry, seen: UInt64, isMade: Bool) {
        self.isMade = isMade
        self.database = database
        self.name = name
        self.entry = entry
        self.seen = seen
    }

    /// No document up to this sequence has rows in the index yet.
    var fresh: UInt64 { entry.fresh }

    /// Marks an index that existed before this run as being filled again.
    func begin() throws(StorageError) {
        if isMade { return }
        try change(of: nil) { (session, found) throws(StorageError) in
            guard found.state.lastSequence == seen else { return false }
            var (record, state) = (found.record, found.state)
            state.lastChangedSequence = entry.fresh
            try session.transaction.setIndexState(entry.index, state)
            record.entries[found.place].filler = database.openingName
            try record.store(name, in: session)
            return true
        }
    }

    func writeRows(of load: IndexLoad) throws(StorageError) {
        try write(load.rowCount) { (transaction, range) throws(StorageError) in
            try transaction.fillIndex(entry.index, from: load, rows: range, documents: 0..<0)
        }
    }

    func writeDocuments(of load: IndexLoad) throws(StorageError) {
        try write(load.documentCount) { (transaction, range) throws(StorageError) in
            try transaction.fillIndex(entry.index, from: load, rows: 0..<0, documents: range)
        }
    }

    /// Writes this number of rows or documents in several transactions, so that others can write in between.
    private func write(
        _ count: Int,
        _ fill: (any WriteTransaction, Range<Int>) throws(StorageError) -> Void
    ) throws(StorageError) {
        var done = 0
        while done < count {
            let isDone = try change(of: database.openingName) { (session, _) throws(StorageError) in
                let start = done
                var isFull = false
                repeat {
                    let limits = database.isBeingWritten ? BulkLoadWriter.besideWriters : BulkLoadWriter.alone
                    let next = done..<min(done + limits.rowsBetweenLooks, count)
                    try fill(session.transaction, next)
                    done = next.upperBound
                    isFull = done == count || done - start >= limits.rowsAtATime
                } while !isFull && !database.hasWaitingWriters
                return true
            }
            guard isDone else { return }
        }
    }

    /// Makes the index a normal one that has seen all sequences up to `last`.
    func finish(at last: UInt64, hasRows: Bool) throws(StorageError) {
        try change(of: database.openingName) { (session, found) throws(StorageError) in
            var (record, state) = (found.record, found.state)
            state.lastSequence = max(seen, last)
            state.lastChangedSequence = hasRows || seen > 0 ? state.lastSequence : 0
            try session.transaction.setIndexState(entry.index, state)
            record.entries[found.place].filler = nil
            if try session.lastSequence() <= last {
                try record.complete(found.place, in: session)
            }
            try record.store(name, in: session)
            return true
        }
    }

    /// The index as found in a transaction.
    private struct Found {
        var record: IndexRecord
        var place: Int
        var state: IndexState
    }

    /// - Parameters:
    ///   - filler: the opening that must be filling the index; nil: none. Another one may have begun since the last
    ///     look.
    ///   - body: returns false if another process was faster.
    /// - Returns: false if nothing was done; later calls do nothing either.
    @discardableResult
    private func change(
        of filler: String?,
        _ body: (WriteSession, Found) throws(StorageError) -> Bool
    ) throws(StorageError) -> Bool {
        if isOver.load(ordering: .relaxed) { return false }
        let isDone = try database.change(inBackground: true) { (session) throws(StorageError) in
            guard let record = try IndexRecord.load(name, in: session.transaction),
                let place = record.entries.firstIndex(where: { $0.index == entry.index }),
                record.entries[place].filler == filler,
                let state = try session.transaction.indexState(entry.index)
            else { return false }
            session.noteChange()
            return try body(session, Found(record: record, place: place, state: state))
        }
        if !isDone { isOver.store(true, ordering: .relaxed) }
        return isDone
    }
}
