internal import SetteeDocumentValues
internal import SetteeEngine
internal import SetteeExpressions
internal import SetteeIndexes
internal import StorageProtocol

/// Reads what a plan finds, on one snapshot.
struct FindRun {
    /// So many documents are looked up at a time.
    private static let batch = 256

    /// A document that matches.
    struct Match {
        /// Where it is in the order of the access, or in that of the sort keys.
        var position: FindPosition
        /// Nil if only positions are wanted.
        var revision: SavedRevision?
    }

    let database: Database
    let selector: MangoSelector
    let plan: FindPlan
    /// Makes the keys that positions have; nil: they are those of the access.
    let sortKeys: SortKeys?
    let transaction: any ReadTransaction
    let cancellation: Cancellation?
    private(set) var statistics = FindStatistics()

    init(
        _ query: FindQuery,
        _ plan: FindPlan,
        sortKeys: SortKeys?,
        in transaction: any ReadTransaction,
        _ cancellation: Cancellation?
    ) {
        database = query.database
        selector = query.selector
        self.plan = plan
        self.sortKeys = sortKeys
        self.transaction = transaction
        self.cancellation = cancellation
    }

    private var fields: RecordFields {
        sortKeys == nil || sortKeys?.readsRevisions == true || selector.readsRevision ? [.winner, .body] : .body
    }

    /// Passes the documents that match to `body`, in the order of the access, until it returns false.
    ///
    /// - Parameters:
    ///   - position: only those behind it, where positions are those of the access.
    ///   - expected: how many are wanted, about: no more are looked up at a time.
    mutating func forEachMatch(
        behind position: FindPosition?,
        expected: Int,
        _ body: (Match) throws(StorageError) -> Bool
    ) throws(StorageError) {
        switch plan.access {
        case .nothing: return
        case .documents(let range): try walk(range, behind: position, body)
        case .ids(let ids):
            let bytes = ids.map { Array($0.string.utf8) }
            try lookUp(bytes.sorted { $0.lexicographicallyPrecedes($1) }, behind: position, expected, body)
        case .union(let parts):
            var ids: Set<[UInt8]> = []
            for part in parts { try collect(part, into: &ids) }
            try lookUp(ids.sorted { $0.lexicographicallyPrecedes($1) }, behind: position, expected, body)
        case .index(let index, let ranges): try read(index, ranges, behind: position, expected, body)
        }
    }

    // MARK: - Documents in the order of their IDs

    private mutating func walk(
        _ range: ByteRange,
        behind position: FindPosition?,
        _ body: (Match) throws(StorageError) -> Bool
    ) throws(StorageError) {
        var range = range
        if let position {
            if plan.isBackward { range.upper = .excluding(position.id) } else { range.lower = .excluding(position.id) }
        }
        var looked = 0
        try transaction.orderedRecords(in: range, descending: plan.isBackward, fields: fields) {
            (record) throws(StorageError) in
            looked += 1
            if looked & 0xFF == 0 { try cancellation?.check() }
            guard let match = try match(record, key: nil) else { return true }
            return try body(match)
        }
    }

    private mutating func lookUp(
        _ ids: [[UInt8]],
        behind position: FindPosition?,
        _ expected: Int,
        _ body: (Match) throws(StorageError) -> Bool
    ) throws(StorageError) {
        var rest = plan.isBackward ? Array(ids.reversed())[...] : ids[...]
        if let position {
            rest = rest.drop { id in
                id == position.id || id.lexicographicallyPrecedes(position.id) != plan.isBackward
            }
        }
        var size = FindRun.firstBatch(expected)
        while !rest.isEmpty {
            let part = rest.prefix(size).map { FindPosition(key: [], id: $0) }
            rest = rest.dropFirst(size)
            guard try lookUp(part, body) else { return }
            size = FindRun.batch
        }
    }

    private static func firstBatch(_ expected: Int) -> Int { max(1, min(expected, batch)) }

    /// Looks up documents, and passes those that match on in the same order.
    ///
    /// - Returns: false if `body` did.
    @discardableResult
    mutating func lookUp(
        _ positions: [FindPosition],
        _ body: (Match) throws(StorageError) -> Bool
    ) throws(StorageError) -> Bool {
        try cancellation?.check()
        var matches: [Match?] = Array(repeating: nil, count: positions.count)
        let ids = try positions.map { (position) throws(StorageError) in
            try unsafe DocumentID(stored: position.id.span.bytes)
        }
        try transaction.records(ids: ids, fields: fields) { (place, record) throws(StorageError) in
            matches[place] = try match(record, key: positions[place].key)
            return true
        }
        for match in matches {
            if let match, try !body(match) { return false }
        }
        return true
    }

    // MARK: - Rows of an index

    private mutating func read(
        _ index: ValueIndex,
        _ ranges: IndexRanges,
        behind position: FindPosition?,
        _ expected: Int,
        _ body: (Match) throws(StorageError) -> Bool
    ) throws(StorageError) {
        guard let reader = try ValueIndexReader(index, of: database, in: transaction) else {
            throw ValueIndexReader.gone(index)
        }
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
    private mutating func collect(_ access: FindPlan.Access, into ids: inout Set<[UInt8]>) throws(StorageError) {
        try cancellation?.check()
        switch access {
        case .nothing: return
        case .ids(let some): for id in some { ids.insert(Array(id.string.utf8)) }
        case .union(let parts): for part in parts { try collect(part, into: &ids) }
        case .documents(let range):
            try transaction.orderedRecords(in: range, descending: false, fields: .metadata) { record in
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

    // MARK: - Checking

    /// - Parameter key: the key that the document has in the access; nil: none.
    /// - Returns: nil if the document does not match.
    private mutating func match(
        _ record: borrowing RecordView,
        key: [UInt8]?
    ) throws(StorageError) -> Match? {
        if record.flags.contains(.deleted) { return nil }
        let isDesign = record.withID { FindRun.isDesign($0) }
        if isDesign { return nil }
        statistics.documentsExamined += 1
        let sortKeys = sortKeys
        var sortKey: [UInt8]?
        let isMatch = try record.withBody { (body) throws(StorageError) in
            try record.withID { (id) throws(StorageError) in
                try record.withWinner { (revision) throws(StorageError) in
                    guard try selector.matches(body, id: id, revision: revision) else { return false }
                    sortKey = try sortKeys?.key(of: body, id: id, revision: revision)
                    return true
                }
            }
        }
        guard isMatch else { return nil }
        let id = record.withID { id in unsafe id.withUnsafeBytes { unsafe Array($0) } }
        let position = FindPosition(key: sortKey ?? key ?? [], id: id)
        guard sortKeys == nil else { return Match(position: position) }
        let revision = SavedRevision(
            in: database,
            documentID: try record.documentID(),
            id: try record.winnerID(),
            sequence: record.sequence,
            isDeleted: false,
            json: record.bodyCopy()
        )
        return Match(position: position, revision: revision)
    }

    private static func isDesign(_ id: RawSpan) -> Bool {
        unsafe id.byteCount > 8 && id.unsafeLoad(fromByteOffset: 0, as: UInt8.self) == UInt8(ascii: "_")
            && id.withUnsafeBytes { unsafe $0.starts(with: "_design/".utf8) }
    }
}

extension IndexRange {
    /// Returns what is left of the range behind a position; nil: nothing.
    fileprivate func left(behind position: IndexPosition, backward: Bool) -> IndexRange? {
        let place = RowPosition(key: position.key, id: position.documentID ?? [], emit: 0)
        if backward {
            guard place.isAbove(lower) else { return nil }
            return place.isBelow(upper) ? IndexRange(lower: lower, upper: .excluding(position)) : self
        }
        guard place.isBelow(upper) else { return nil }
        return place.isAbove(lower) ? IndexRange(lower: .excluding(position), upper: upper) : self
    }
}
