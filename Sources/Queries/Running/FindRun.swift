internal import SetteeDocumentValues
internal import SetteeEngine
internal import SetteeExpressions
internal import SetteeIndexes
internal import StorageProtocol

/// Reads what a plan finds, on one snapshot.
struct FindRun {
    /// So many documents are looked up at a time, if they are small.
    static let batch = 256
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
    let fields: RecordFields
    /// Whether what is passed on of a document needs the ID of its revision.
    private let needsWinner: Bool
    /// So many IDs of an intersection are kept at a time.
    let mostIDs: Int
    var statistics = FindStatistics()
    /// How many documents can be looked up at a time.
    var most = FindRun.batch

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

    /// Makes what is passed on of a document that matches.
    ///
    /// - Parameter key: the key that it has in the access.
    func match(_ record: borrowing RecordView, key: [UInt8]) throws(StorageError) -> Match {
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
