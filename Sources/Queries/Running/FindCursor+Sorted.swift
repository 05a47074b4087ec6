internal import SetteeIndexes
internal import StorageProtocol

/// Rows that have to be sorted.
extension FindCursor {
    /// Finds the next wanted rows, and puts their positions in the order of the query.
    private mutating func sortRows(
        _ plan: FindPlan,
        _ transaction: any ReadTransaction,
        _ cancellation: Cancellation?
    ) throws(StorageError) {
        let keys = SortKeys(sort)
        let (sum, isTooLarge) = skip.addingReportingOverflow(remaining)
        let wanted = isTooLarge ? Int.max : sum
        let maximum = min(wanted, mostSorted)
        var run = FindRun(query, plan, sortKeys: keys, in: transaction, cancellation)
        var rows: [FindPosition] = []
        let behind = position ?? behind
        if plan.order == .grouped {
            // Only documents with the same sort key are in another order.
            var group: [FindPosition] = []
            try run.forEachMatch(behind: nil, expected: FindCursor.pageSize) { match in
                if let behind, !keys.precedes(behind, match.position) { return true }
                if let first = group.first, first.key != match.position.key {
                    rows += group.sorted { keys.precedes($0, $1) }
                    group = []
                    if rows.count >= maximum { return false }
                }
                group.append(match.position)
                return true
            }
            rows += group.sorted { keys.precedes($0, $1) }
        } else {
            var top = TopRows(keys, maximum: maximum)
            if let scan = try ParallelScan(query, plan, sortKeys: keys, in: transaction, cancellation) {
                let found = try scan.run(in: transaction, top) { (top, run) throws(StorageError) in
                    try run.forEachMatch(behind: nil, expected: Int.max) { match in
                        if let behind, !keys.precedes(behind, match.position) { return true }
                        top.add(match.position)
                        return true
                    }
                }
                for part in found.parts { top.add(part) }
                statistics.add(found.statistics)
            } else {
                try run.forEachMatch(behind: nil, expected: FindCursor.pageSize, inAnyOrder: true) { match in
                    if let behind, !keys.precedes(behind, match.position) { return true }
                    top.add(match.position)
                    return true
                }
            }
            rows = top.sorted()
        }
        statistics.add(run.statistics)
        hasUnsorted = rows.count >= maximum && maximum < wanted
        let skipped = rows.prefix(min(maximum, skip))
        skip -= skipped.count
        if let last = skipped.last { position = last }
        sorted = rows[..<min(rows.count, maximum)].dropFirst(skipped.count)
    }

    /// Reads the documents of the next sorted positions. One that has changed since it was found, and no longer
    /// matches, is left out.
    mutating func nextSorted(
        _ plan: FindPlan,
        _ size: PageSize,
        _ transaction: any ReadTransaction,
        _ cancellation: Cancellation?
    ) throws(StorageError) -> [FindRow] {
        var rows: [FindRow] = []
        var bytes = 0
        let projection = projection
        while rows.count < size.rows, bytes < size.bytes {
            while sorted.isEmpty, hasUnsorted { try sortRows(plan, transaction, cancellation) }
            var part = sorted.prefix(min(size.rows - rows.count, FindCursor.pageSize))
            if part.isEmpty { break }
            var run = FindRun(query, plan, sortKeys: nil, in: transaction, cancellation)
            try run.lookUp(Array(part)) { match in
                if let revision = match.revision { rows.append(FindRow(revision, projection)) }
                bytes += match.byteCount
                guard bytes >= size.bytes else { return true }
                if let last = part.firstIndex(of: match.position) { part = part[...last] }
                return false
            }
            sorted.removeFirst(part.count)
            position = part.last
        }
        return rows
    }
}
