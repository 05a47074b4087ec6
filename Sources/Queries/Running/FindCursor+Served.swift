internal import SetteeIndexes
internal import StorageProtocol

/// Rows that come in the order in which documents or an index are read.
extension FindCursor {
    /// Returns all rows of a walk over all documents, on several threads; nil if that is not what the plan does.
    mutating func everyRow(
        _ plan: FindPlan,
        _ transaction: any ReadTransaction,
        _ cancellation: Cancellation?
    ) throws(StorageError) -> [FindRow]? {
        guard plan.order == .served, query.limit == nil else { return nil }
        guard let scan = try ParallelScan(query, plan, sortKeys: nil, in: transaction, cancellation) else { return nil }
        let projection = projection
        let found = try scan.run(in: transaction, [FindRow]()) { (rows, run) throws(StorageError) in
            try run.forEachMatch(behind: nil, expected: Int.max) { match in
                if let revision = match.revision { rows.append(FindRow(revision, projection)) }
                return true
            }
        }
        statistics.add(found.statistics)
        isOver = true
        return Array(found.parts.joined().dropFirst(skip))
    }

    /// Returns the next rows, which come in the order of the access.
    mutating func nextServed(
        _ plan: FindPlan,
        _ size: PageSize,
        _ transaction: any ReadTransaction,
        _ cancellation: Cancellation?
    ) throws(StorageError) -> [FindRow] {
        var rows: [FindRow] = []
        var isFull = false
        var bytes = 0
        var run = FindRun(query, plan, sortKeys: nil, in: transaction, cancellation)
        var (skip, last) = (skip, position)
        let projection = projection
        let expected = skip > FindCursor.pageSize ? FindCursor.pageSize : skip + min(size.rows, FindCursor.pageSize)
        try run.forEachMatch(behind: position ?? behind, expected: expected) { match in
            last = match.position
            if skip > 0 {
                skip -= 1
            } else if let revision = match.revision {
                rows.append(FindRow(revision, projection))
                bytes += match.byteCount
            }
            isFull = rows.count >= size.rows || bytes >= size.bytes
            return !isFull
        }
        // What is behind the last match was read, too.
        isOver = !isFull
        self.skip = skip
        position = last
        statistics.add(run.statistics)
        return rows
    }
}
