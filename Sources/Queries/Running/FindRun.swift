internal import SetteeDocumentValues
internal import SetteeEngine
internal import SetteeExpressions
internal import SetteeIndexes
internal import StorageProtocol

/// Reads what a plan finds, on one snapshot.
struct FindRun {
    /// So many documents are looked up at a time, if they are small.
    private static let batch = 256
    /// So many bytes of documents are held at a time, unless a single one has more.
    static let mostHeld = 4 << 20

    /// How many deleted documents may be passed over without checking for cancellation.
    private static let mostPassedOver: UInt64 = 4096

    /// A document that matches.
    struct Match {
        /// Where it is in the order of the access, or in that of the sort keys.
        var position: FindPosition
        /// Nil if only positions are wanted.
        var revision: SavedRevision?

        /// What the match holds in memory, about.
        var byteCount: Int { position.key.count + (revision?.json.count ?? 0) }
    }

    let database: Database
    let question: FindQuestion
    let plan: FindPlan
    /// Makes the keys that positions have; nil: they are those of the access.
    let sortKeys: SortKeys?
    let transaction: any ReadTransaction
    let cancellation: Cancellation?
    /// The part of all documents that is read where the plan reads them all; nil: all.
    private let part: RecordWalk?
    private let fields: RecordFields
    /// Whether what is passed on of a document needs the ID of its revision.
    private let needsWinner: Bool
    /// So many IDs of an intersection are kept at a time.
    private let mostIDs: Int
    private(set) var statistics = FindStatistics()
    /// How many documents can be looked up at a time.
    private var most = FindRun.batch

    init(
        _ query: FindQuery,
        _ plan: FindPlan,
        sortKeys: SortKeys?,
        in transaction: any ReadTransaction,
        part: RecordWalk? = nil,
        _ cancellation: Cancellation?
    ) {
        self.part = part
        database = query.database
        question = query.question
        mostIDs = query.hints.mostIDs
        self.plan = plan
        self.sortKeys = sortKeys
        self.transaction = transaction
        self.cancellation = cancellation
        needsWinner = sortKeys?.readsRevisions ?? true
        fields = needsWinner ? [.winner, .body] : query.question.fields
    }

    /// Passes the documents that match to `body`, in the order of the access, until it returns false.
    ///
    /// - Parameters:
    ///   - position: only those behind it, where positions are those of the access.
    ///   - expected: how many are wanted, about: no more are looked up at a time.
    ///   - inAnyOrder: whether a walk over all documents may be in another order.
    mutating func forEachMatch(
        behind position: FindPosition?,
        expected: Int,
        inAnyOrder: Bool = false,
        _ body: (Match) throws(StorageError) -> Bool
    ) throws(StorageError) {
        switch plan.access {
        case .nothing: return
        case .documents(let range):
            let run = self
            try walk(range, behind: position, fields, inAnyOrder: inAnyOrder) { (record) throws(StorageError) in
                try body(run.match(record, key: []))
            }
        case .ids(let ids):
            let bytes = ids.map { Array($0.string.utf8) }
            try lookUp(bytes.sorted { $0.lexicographicallyPrecedes($1) }, behind: position, expected, body)
        case .union(let parts):
            var ids: Set<[UInt8]> = []
            for part in parts { try collect(part, into: &ids) }
            try lookUp(ids.sorted { $0.lexicographicallyPrecedes($1) }, behind: position, expected, body)
        case .intersection(let parts): try lookUp(inAllOf: parts, behind: position, expected, body)
        case .index(let index, let ranges): try read(index, ranges, behind: position, expected, body)
        }
    }

    /// Counts the documents that match, at most `limit`. Nothing is copied of those that are read in a walk.
    mutating func countMatches(atMost limit: Int) throws(StorageError) -> Int {
        var count = 0
        if case .documents(let range) = plan.access {
            try walk(range, behind: nil, question.fields.subtracting(.body), inAnyOrder: true) { _ in
                count += 1
                return count < limit
            }
        } else {
            try forEachMatch(behind: nil, expected: FindRun.batch) { _ in
                count += 1
                return count < limit
            }
        }
        return count
    }

    // MARK: - All documents

    /// Passes the records of the documents that match to `body`, until it returns false.
    private mutating func walk(
        _ range: ByteRange,
        behind position: FindPosition?,
        _ fields: RecordFields,
        inAnyOrder: Bool,
        _ body: (borrowing RecordView) throws(StorageError) -> Bool
    ) throws(StorageError) {
        var looked = 0
        var examined = 0
        defer { statistics.documentsExamined += examined }
        let question = question
        let cancellation = cancellation
        var isOver = false
        for piece in try pieces(part ?? way(range, behind: position, inAnyOrder: inAnyOrder)) where !isOver {
            // A piece may have few documents.
            try cancellation?.check()
            try transaction.orderedRecords(
                in: piece,
                where: { (id, json) throws(StorageError) in
                    looked += 1
                    if looked & 0xFF == 0 { try cancellation?.check() }
                    return try question.mayMatch(id, json, &examined)
                },
                fields: fields,
                { (record) throws(StorageError) in
                    if try question.matchesRevision(record) { isOver = try !body(record) }
                    return !isOver
                }
            )
        }
    }

    /// Divides a walk where there may be many deleted documents. They are passed over without a look at the
    /// cancellation.
    private func pieces(_ walk: RecordWalk) throws(StorageError) -> [RecordWalk] {
        guard cancellation != nil, part == nil else { return [walk] }
        let counters = try transaction.counters()
        let others = counters.lastSequence - min(counters.lastSequence, counters.liveDocuments)
        guard others >= max(FindRun.mostPassedOver, counters.liveDocuments / 4) else { return [walk] }
        return try RecordPieces.of(walk, transaction)
    }

    private func way(_ range: ByteRange, behind position: FindPosition?, inAnyOrder: Bool) -> RecordWalk {
        var range = range
        if let position {
            if plan.isBackward { range.upper = .excluding(position.id) } else { range.lower = .excluding(position.id) }
        }
        if inAnyOrder, range == .all, database.capabilities.walksFasterInParts { return .part(0, of: 1) }
        return .ids(range, descending: plan.isBackward)
    }

    // MARK: - Some documents

    /// - Returns: false if `body` did.
    @discardableResult
    private mutating func lookUp(
        _ ids: [[UInt8]],
        behind position: FindPosition?,
        _ expected: Int,
        _ body: (Match) throws(StorageError) -> Bool
    ) throws(StorageError) -> Bool {
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
            guard try lookUp(part, body) else { return false }
            size = FindRun.batch
        }
        return true
    }

    /// Looks up the documents that all of some indexes have.
    private mutating func lookUp(
        inAllOf parts: [IntersectedIndex],
        behind position: FindPosition?,
        _ expected: Int,
        _ body: (Match) throws(StorageError) -> Bool
    ) throws(StorageError) {
        var intersection = try IndexIntersection(parts, of: database, in: transaction, cancellation)
        defer { statistics.keysExamined += intersection.rowCount }
        var behind = position?.id
        while true {
            let found = try intersection.ids(behind: behind, backward: plan.isBackward, atMost: mostIDs)
            guard try lookUp(found.ids, behind: nil, expected, body), found.hasMore else { return }
            behind = plan.isBackward ? found.ids.first : found.ids.last
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
        var rest = positions[...]
        while !rest.isEmpty {
            try cancellation?.check()
            let part = rest.prefix(most)
            guard let matches = try matches(at: part) else {
                most = max(1, part.count / 2)
                continue
            }
            rest = rest.dropFirst(part.count)
            for match in matches {
                if let match, try !body(match) { return false }
            }
        }
        return true
    }

    /// Looks up documents, which come in the order of their IDs, and returns those that match in the order of the
    /// positions; nil if they are too large to be held together.
    private mutating func matches(at part: ArraySlice<FindPosition>) throws(StorageError) -> [Match?]? {
        let ids = try part.map { (position) throws(StorageError) in
            try unsafe DocumentID(stored: position.id.span.bytes)
        }
        let first = part.startIndex
        var examined = 0
        var found: [Match?] = Array(repeating: nil, count: ids.count)
        var held = 0
        try transaction.records(ids: ids, fields: fields) { (place, record) throws(StorageError) in
            guard try question.matches(record, &examined) else { return true }
            let match = try match(record, key: part[first + place].key)
            held += match.byteCount
            found[place] = match
            return held <= FindRun.mostHeld
        }
        if held > FindRun.mostHeld, ids.count > 1 { return nil }
        statistics.documentsExamined += examined
        return found
    }

    // MARK: - Rows of an index

    private mutating func read(
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
    private mutating func collect(_ access: FindPlan.Access, into ids: inout Set<[UInt8]>) throws(StorageError) {
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

    // MARK: - Checking

    /// Makes what is passed on of a document that matches.
    ///
    /// - Parameter key: the key that it has in the access.
    private func match(_ record: borrowing RecordView, key: [UInt8]) throws(StorageError) -> Match {
        let id = record.withID { id in unsafe id.withUnsafeBytes { unsafe Array($0) } }
        guard let sortKeys else {
            let revision = SavedRevision(
                in: database,
                documentID: try record.documentID(),
                id: try record.winnerID(),
                sequence: record.sequence,
                isDeleted: false,
                json: record.bodyCopy()
            )
            return Match(position: FindPosition(key: key, id: id), revision: revision)
        }
        let sortKey = try record.withBody { (body) throws(StorageError) in
            guard needsWinner else { return try sortKeys.key(of: body, id: unsafe id.span.bytes, revision: RawSpan()) }
            return try record.withWinner { (revision) throws(StorageError) in
                try sortKeys.key(of: body, id: unsafe id.span.bytes, revision: revision)
            }
        }
        return Match(position: FindPosition(key: sortKey, id: id))
    }
}
