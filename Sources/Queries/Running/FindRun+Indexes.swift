internal import SetteeEngine
internal import SetteeIndexes
internal import StorageProtocol

/// Rows of indexes.
extension FindRun {
    /// Reads rows of an index, and the documents that they lead to.
    mutating func read(
        _ index: ValueIndex,
        _ ranges: IndexRanges,
        behind position: FindPosition?,
        _ expected: Int,
        _ body: (Match) throws(StorageError) -> Bool
    ) throws(StorageError) {
        var known = plan.current.map { ValueIndexReader($0) }
        if known == nil { known = try ValueIndexReader(index, of: database, in: transaction) }
        guard let reader = known else { throw ValueIndexReader.gone(index) }
        let hasUnindexable = try reader.hasUnindexable(transaction)
        if let rows = plan.rows, !hasUnindexable, position == nil {
            statistics.keysExamined += rows.count
            try lookUp(plan.isBackward ? rows.reversed() : rows, body)
            return
        }
        var all = ranges.ranges
        if hasUnindexable { all.append(IndexRanges.unindexable) }
        if plan.isBackward { all.reverse() }
        var size = FindRun.firstBatch(expected)
        for var range in all {
            if let position {
                let bound = IndexPosition(key: position.key, documentID: position.id)
                guard let left = range.left(behind: bound, backward: plan.isBackward) else { continue }
                range = left
            }
            while true {
                var part: [FindPosition] = []
                try reader.rows(in: range, descending: plan.isBackward, transaction) { row in
                    part.append(row)
                    return part.count < size
                }
                statistics.keysExamined += part.count
                guard let last = part.last else { break }
                guard try lookUp(part, body) else { return }
                if part.count < size { break }
                let bound = IndexPosition(key: last.key, documentID: last.id)
                guard let left = range.left(behind: bound, backward: plan.isBackward) else { break }
                range = left
                size = FindRun.batch
            }
        }
    }

    /// Adds the IDs of the documents that a part of a union finds.
    mutating func collect(_ access: FindPlan.Access, into ids: inout Set<[UInt8]>) throws(StorageError) {
        try cancellation?.check()
        switch access {
        case .nothing: return
        case .ids(let some): for id in some { ids.insert(Array(id.string.utf8)) }
        case .union(let parts): for part in parts { try collect(part, into: &ids) }
        case .intersection(let parts):
            var intersection = try IndexIntersection(parts, of: database, in: transaction, cancellation)
            ids.formUnion(try intersection.ids(behind: nil, backward: false, atMost: Int.max / 2).ids)
            statistics.keysExamined += intersection.rowCount
        case .documents(let range):
            var looked = 0
            try transaction.orderedRecords(in: range, descending: false, fields: .metadata) {
                (record) throws(StorageError) in
                looked += 1
                if looked & 0xFF == 0 { try cancellation?.check() }
                ids.insert(record.withID { id in unsafe id.withUnsafeBytes { unsafe Array($0) } })
                return true
            }
        case .index(let index, let ranges):
            guard let reader = try ValueIndexReader(index, of: database, in: transaction) else {
                throw ValueIndexReader.gone(index)
            }
            let others = try reader.hasUnindexable(transaction) ? [IndexRanges.unindexable] : []
            for range in ranges.ranges + others {
                try reader.rows(in: range, descending: false, transaction) { row in
                    statistics.keysExamined += 1
                    ids.insert(row.id)
                    return true
                }
            }
        }
    }
}
