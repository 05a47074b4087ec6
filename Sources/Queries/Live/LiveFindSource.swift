internal import SetteeEngine
internal import SetteeIndexes
internal import StorageProtocol

/// What a live query has done so far.
package struct LiveFindStatistics: Sendable, Equatable {
    /// How often the query has run.
    package var runs = 0
    /// How many changed documents the condition was evaluated on, to learn whether the query has to run.
    package var documentsChecked = 0
}

/// The rows of a query, as something to be shown live.
final class LiveFindSource: LiveSource {
    typealias Value = [FindRow]
    typealias Mark = LiveFindMark

    private let query: FindQuery
    private let counts = Locked(LiveFindStatistics())

    init(_ query: FindQuery) { self.query = query }

    var statistics: LiveFindStatistics { counts.withLock { $0 } }

    func observe() -> ChangeObservation {
        // An index that comes or goes changes no rows, but may decide whether there are any.
        query.database.observeChanges(limit: LiveChanges.most, wantsViewChanges: !query.allowsFullScan)
    }

    func look(
        _ known: LiveLook<LiveFindSource>?,
        _ changes: LiveChanges,
        _ context: LiveContext
    ) throws -> LiveLook<LiveFindSource>? {
        if let known, let ids = changes.documentIDs, !isConcerned(known.mark, ids, context.cancellation) {
            return known
        }
        counts.withLock { $0.runs += 1 }
        try query.checkOptions()
        // Rows that are left out at the start contribute, too.
        var whole = query
        whole.skip = 0
        whole.limit = query.limit.map { limit in
            let (sum, isTooLarge) = limit.addingReportingOverflow(query.skip)
            return isTooLarge ? Int.max : sum
        }
        let rows = try whole.run(context.cancellation)
        return LiveLook(Array(rows.dropFirst(query.skip)), try LiveFindMark(whole, rows))
    }

    /// Whether changes of these documents can have changed the rows.
    private func isConcerned(_ mark: LiveFindMark, _ ids: Set<DocumentID>, _ cancellation: Cancellation) -> Bool {
        if ids.contains(where: mark.contains) { return true }
        // One may bring or take the index without which the query fails.
        if !query.allowsFullScan, ids.contains(where: \.isDesign) { return true }
        guard mark.end != .closed else { return false }
        let (isNew, count) = newRow(mark, ids, cancellation)
        counts.withLock { $0.documentsChecked += count }
        return isNew
    }

    /// Returns whether one of these documents, which are in no row, should be; and how many were looked at.
    private func newRow(
        _ mark: LiveFindMark,
        _ ids: Set<DocumentID>,
        _ cancellation: Cancellation
    ) -> (isNew: Bool, count: Int) {
        var isNew = false
        var count = 0
        do throws(StorageError) {
            let keys = SortKeys(try query.sortPaths())
            try query.database.withReadTransaction { (transaction) throws(StorageError) in
                let nowhere = FindPlan(access: .nothing, order: .served, isBackward: false)
                var run = FindRun(query, nowhere, sortKeys: keys, in: transaction, cancellation)
                var rest = ids.sorted()[...]
                while !isNew, !rest.isEmpty {
                    let part = rest.prefix(FindCursor.pageSize)
                    rest = rest.dropFirst(part.count)
                    try run.lookUp(part.map { FindPosition(key: [], id: Array($0.string.utf8)) }) { match in
                        isNew = mark.isBeforeEnd(match.position, keys)
                        return !isNew
                    }
                }
                count = run.statistics.documentsExamined
            }
        } catch {
            // The query tells what is wrong, if it is wrong for the query, too.
            isNew = true
        }
        return (isNew, count)
    }
}

/// What has to be known of the rows of a query to tell whether a changed document concerns it.
struct LiveFindMark: Sendable {
    /// Where the rows end.
    enum End: Sendable, Equatable {
        /// There are fewer rows than wanted: any document that matches is another row.
        case open
        /// There are as many rows as wanted. Documents that sort before this one come in.
        case before(FindPosition)
        /// There are as many rows as wanted, and no order: no other document comes in.
        case closed
    }

    let end: End
    /// Hashes of the documents that the rows are of. Two documents with the same one cost a run that was not needed.
    private let hashes: Set<Int>

    /// - Parameter query: without `skip`.
    init(_ query: FindQuery, _ rows: [FindRow]) throws(StorageError) {
        hashes = Set(rows.map(\.documentID.hashValue))
        guard let limit = query.limit, rows.count >= limit else {
            end = .open
            return
        }
        guard !query.sort.isEmpty, let last = rows.last?.revision else {
            end = .closed
            return
        }
        let id = Array(last.documentID.string.utf8)
        let key = try unsafe SortKeys(query.sortPaths()).key(
            of: last.json.span.bytes,
            id: id.span.bytes,
            revision: Array(last.id.string.utf8).span.bytes
        )
        end = .before(FindPosition(key: key, id: id))
    }

    func contains(_ id: DocumentID) -> Bool { hashes.contains(id.hashValue) }

    func isBeforeEnd(_ position: FindPosition, _ keys: SortKeys) -> Bool {
        switch end {
        case .open: true
        case .before(let last): keys.precedes(position, last)
        case .closed: false
        }
    }
}
