internal import StorageProtocol

extension SQLiteReadTransaction {
    final func readCounters() throws(StorageError) -> StoreCounters {
        try row(
            Query(.counters),
            { _ in },
            { (row) throws(StorageError) in
                var newest = (sequence: try row.count(0), live: try row.count(1))
                for column: Int32 in [3, 5] where !row.isNull(column) {
                    let candidate = (sequence: try row.count(column), live: try row.count(column + 1))
                    if candidate.sequence > newest.sequence { newest = candidate }
                }
                // The first is below 2^63. The second is below 0 in a store that was restored with a lower counter.
                let (changeCounter, isBeyond) = Int64(newest.sequence).addingReportingOverflow(try row.number(2))
                guard !isBeyond, changeCounter >= 0 else {
                    throw .corrupt("The store's change counter is out of range")
                }
                return StoreCounters(
                    liveDocuments: newest.live,
                    lastSequence: newest.sequence,
                    changeCounter: UInt64(changeCounter)
                )
            }
        )
    }

    @inline(__always)
    final func recordNow(
        _ id: DocumentID,
        _ fields: RecordFields,
        _ body: (borrowing RecordView) throws(StorageError) -> Void
    ) throws(StorageError) -> Bool {
        try id.withBytes { (bytes) throws(StorageError) in
            try unsafe bytes.withUnsafeBytes { (bytes) throws(StorageError) in
                try rowNow(.record(fields), { unsafe $0.bindText(bytes, 1) }) { (row) throws(StorageError) in
                    if row.isNull(0) { return false }
                    // Before `body` runs: it may look up another record.
                    if isWriter { latest = try KnownRecord(id: id, number: row.integer(0), flags: row.integer(3)) }
                    try withRecord(row, from: 1, fields, body)
                    return true
                }
            }
        }
    }

    /// Implements `records(ids:)`.
    final func lookUp(
        _ ids: [DocumentID],
        _ fields: RecordFields,
        _ body: (_ place: Int, borrowing RecordView) throws(StorageError) -> Bool
    ) throws(StorageError) {
        let places = ids.placesInOrder
        var start = 0
        while start < places.count {
            let some = places[start..<min(start + Query.recordsAtOnce, places.count)]
            guard try someRecords(some, of: ids, fields, body) else { return }
            start += some.count
        }
        // No IDs were passed, but the transaction may be over.
        if places.isEmpty { try check() }
    }

    /// - Returns: False if `body` returned false.
    private func someRecords(
        _ places: ArraySlice<Int>,
        of ids: [DocumentID],
        _ fields: RecordFields,
        _ body: (_ place: Int, borrowing RecordView) throws(StorageError) -> Bool
    ) throws(StorageError) -> Bool {
        var goesOn = true
        // Too few to be worth the larger statement.
        if places.count < 4 {
            for place in places where goesOn {
                _ = try record(ids[place], fields: fields) { (record) throws(StorageError) in
                    goesOn = try body(place, record)
                }
                // `body` may have ended it.
                try check()
            }
            return goesOn
        }
        let texts = BoundIDs(places.lazy.map { ids[$0] })
        defer { withExtendedLifetime(texts) {} }
        try rows(
            .records(fields),
            { texts.bind(to: $0) },
            { (row) throws(StorageError) in
                let number = row.integer(0)
                guard number >= 0, number < places.count else {
                    throw .corrupt("SQLite found what was not looked for")
                }
                let place = places[places.startIndex + Int(number)]
                goesOn = try withRecord(row, from: 1, fields) { (record) throws(StorageError) in
                    try body(place, record)
                }
                return goesOn
            }
        )
        return goesOn
    }

    func records(
        in range: ByteRange,
        descending: Bool,
        fields: RecordFields,
        _ body: (borrowing RecordView) throws(StorageError) -> Bool
    ) throws(StorageError) {
        let query = Query.records(RangeForm(range), descending: descending, fields)
        try unsafe range.withBounds { (lower, upper) throws(StorageError) in
            try rows(
                query,
                isWalkAfter: Self.fewRecords,
                { statement in
                    unsafe statement.bindText(lower, 1)
                    if let upper = unsafe upper { unsafe statement.bindText(upper, 2) }
                }
            ) { (row) throws(StorageError) in
                try withRecord(row, fields, body)
            }
        }
    }

    func records(
        sequences range: ClosedRange<UInt64>,
        descending: Bool,
        fields: RecordFields,
        _ body: (borrowing RecordView) throws(StorageError) -> Bool
    ) throws(StorageError) {
        if descending {
            return try rows(
                .sequences(descending: true, fields),
                isWalkAfter: Self.fewRecords,
                { $0.bind(range) },
                { (row) throws(StorageError) in try withRecord(row, from: 1, fields, body) }
            )
        }
        var walk = SequenceWalk(range)
        repeat {
            try rows(
                .sequences(descending: false, fields),
                isWalkAfter: Self.fewRecords,
                { $0.bind(walk.rest) },
                { (row) throws(StorageError) in
                    walk.pass(number: row.integer(0), sequence: row.integer(2))
                    guard try withRecord(row, from: 1, fields, body) else {
                        walk.end()
                        return false
                    }
                    return !walk.isInTable
                }
            )
            guard walk.isInTable else { return }
            try rows(
                .following(fields),
                isWalkAfter: Self.fewRecords,
                { $0.bind(walk.number, 1) },
                { (row) throws(StorageError) in
                    guard walk.follows(number: row.integer(0), sequence: row.integer(2)) else { return false }
                    guard try withRecord(row, from: 1, fields, body) else {
                        walk.end()
                        return false
                    }
                    return !walk.isOver
                }
            )
            walk.leaveTable()
        } while !walk.isOver
    }

    /// Passes the record in the current row of `row`. Columns, from `first` on: id, sequence, flags, and those
    /// that `Query.columns` adds for `fields`.
    @inline(__always)
    final func withRecord<R>(
        _ row: Statement,
        from first: Int32 = 0,
        _ fields: RecordFields,
        _ body: (borrowing RecordView) throws(StorageError) -> R
    ) throws(StorageError) -> R {
        let sequence = row.integer(first + 1)
        guard sequence > 0, let flags = UInt8(exactly: row.integer(first + 2)) else {
            throw .corrupt("A stored record has a sequence or flags out of range")
        }
        let id = unsafe try row.bytes(first, type: .text)
        var column = first + 3
        var winner = unsafe UnsafeRawBufferPointer(start: nil, count: 0)
        var tree = unsafe winner
        var json = unsafe winner
        var place: Int64?
        if fields.contains(.winner) {
            place = row.integerIfStored(column)
            if place == nil {
                unsafe winner = try row.bytes(column, type: .text)
                place = unsafe StoredWinner.number(in: winner)
            }
            column += 1
        }
        if !fields.isDisjoint(with: [.winner, .tree]) {
            unsafe tree = try row.bytes(column, type: .blob)
            column += 1
        }
        if fields.contains(.body) { unsafe json = try row.bytes(column, type: .text) }
        if let place {
            let view = unsafe RecordView(
                sequence: UInt64(sequence),
                flags: DocumentFlags(rawValue: flags),
                id: id,
                winner: try StoredWinner.revisionID(place, in: tree),
                tree: tree,
                body: json
            )
            return try body(view)
        }
        let view = unsafe RecordView(
            sequence: UInt64(sequence),
            flags: DocumentFlags(rawValue: flags),
            id: id,
            winner: winner,
            tree: tree,
            body: json
        )
        return try body(view)
    }
}

extension Statement {
    /// Binds a range of sequences to parameters 1 and 2. No stored sequence is above `Int64.max`.
    func bind(_ range: ClosedRange<UInt64>) {
        // A range beyond all that can be stored becomes an empty one.
        guard let lower = Int64(exactly: range.lowerBound) else {
            bind(1 as Int64, 1)
            bind(0 as Int64, 2)
            return
        }
        bind(lower, 1)
        bind(Int64(clamping: range.upperBound), 2)
    }
}

extension ByteRange {
    /// Passes the bytes of both ends to `body`. An open lower end is the empty string.
    func withBounds<R>(
        _ body: (_ lower: UnsafeRawBufferPointer, _ upper: UnsafeRawBufferPointer?) throws(StorageError) -> R
    ) throws(StorageError) -> R {
        try unsafe (lower.bytes ?? []).withRawBytes { (lower) throws(StorageError) in
            guard let upper = upper.bytes else { return try unsafe body(lower, nil) }
            return try unsafe upper.withRawBytes { (upper) throws(StorageError) in try unsafe body(lower, upper) }
        }
    }
}

extension ByteRange.Bound {
    fileprivate var bytes: [UInt8]? {
        switch self {
        case .open: nil
        case .including(let bytes), .excluding(let bytes): bytes
        }
    }
}

extension Array where Element == UInt8 {
    /// A variant of `withUnsafeBytes` that rethrows the typed error.
    @inline(__always)
    @unsafe
    func withRawBytes<R>(_ body: (UnsafeRawBufferPointer) throws(StorageError) -> R) throws(StorageError) -> R {
        try unsafe span.withUnsafeBytes(body)
    }
}
