internal import StorageEngineKit
internal import StorageProtocol

extension SQLiteReadTransaction {
    func indexNames() throws(StorageError) -> [String] {
        var names: [String] = []
        try rows(
            Query(.indexNames),
            { _ in },
            { (row) throws(StorageError) in
                names.append(try row.string(0))
                return true
            }
        )
        return names
    }

    func indexState(_ name: String) throws(StorageError) -> IndexState? { try index(name)?.state }

    func indexRows(
        _ name: String,
        in range: IndexRange,
        descending: Bool,
        _ body: (borrowing IndexRowView) throws(StorageError) -> Bool
    ) throws(StorageError) {
        let (number, state, _) = try existingIndex(name)
        let query = Query.rows(of: number, IndexRangeForm(range, descending: descending))
        let sequences = SQLiteIndexSequences(self, number, keepsSequences: state.keepsSequences)
        defer { withExtendedLifetime(sequences) {} }
        try unsafe range.lower.withParts { (lowerKey, lowerID, lowerEmit) throws(StorageError) in
            try unsafe range.upper.withParts { (upperKey, upperID, upperEmit) throws(StorageError) in
                try rows(
                    query,
                    { statement in
                        unsafe statement.bind(key: lowerKey, id: lowerID, emit: lowerEmit, from: 1)
                        unsafe statement.bind(key: upperKey, id: upperID, emit: upperEmit, from: 4)
                    }
                ) { (row) throws(StorageError) in
                    try row.withIndexRow(sequences, body)
                }
            }
        }
    }

    func hasDroppedIndexes() throws(StorageError) -> Bool {
        if try droppedIndex() != nil { return true }
        return try removedEntries() != nil
    }

    /// Returns a dropped index that still takes up space: its number, and that of its entries.
    final func droppedIndex() throws(StorageError) -> (number: Int64, entries: Int64)? {
        try row(Query(.droppedIndex), { _ in }, { $0.isNull(0) ? nil : ($0.integer(0), $0.integer(1)) })
    }

    /// Returns the number of entries that were removed all at once and still take up space.
    final func removedEntries() throws(StorageError) -> Int64? {
        try row(Query(.removedEntries), { _ in }, { $0.isNull(0) ? nil : $0.integer(0) })
    }

    func indexedSequence(_ name: String, _ id: DocumentID) throws(StorageError) -> UInt64? {
        guard let index = try index(name) else { return nil }
        guard index.state.keepsSequences else { throw .indexKeepsNoSequences }
        return try unsafe id.withRawBytes { (id) throws(StorageError) in
            try unsafe indexedSequence(index.number, id)
        }
    }

    /// Returns the sequence passed to the last replacement of a document's rows, or nil if it has none.
    final func indexedSequence(
        _ index: Int64,
        _ id: UnsafeRawBufferPointer
    ) throws(StorageError) -> UInt64? {
        var block = DocumentBlock()
        return try row(
            .of(index, .documentBlock),
            { unsafe $0.bindText(id, 1) },
            { (row) throws(StorageError) in
                if row.isNull(0) { return nil }
                try row.readBlock(into: &block)
                let (place, isThere) = unsafe block.find(id)
                guard isThere else { return nil }
                block.select(place)
                return block.sequence
            }
        )
    }

    func indexDocuments(
        _ name: String,
        after id: DocumentID?,
        _ body: (borrowing IndexDocumentView) throws(StorageError) -> Bool
    ) throws(StorageError) {
        let number = try existingIndex(name).number
        let id = id.map { Array($0.string.utf8) } ?? []
        var block = DocumentBlock()
        var last: [UInt8] = []
        try unsafe id.withRawBytes { (id) throws(StorageError) in
            // No ID is empty.
            try rows(.of(number, .blocks), { unsafe $0.bindText(id, 1) }) { (row) throws(StorageError) in
                try row.readBlock(into: &block)
                guard try unsafe block.begins(atOrAfter: row.bytes(0, type: .text), after: &last) else {
                    throw .damagedBlock
                }
                return try unsafe block.forEach(after: id, body)
            }
        }
    }

    func indexEntry(
        _ name: String,
        key: RawSpan,
        _ body: (_ value: RawSpan) throws(StorageError) -> Void
    ) throws(StorageError) -> Bool {
        guard let index = try index(name) else { return false }
        return try unsafe key.withUnsafeBytes { (key) throws(StorageError) in
            try row(
                Query(.indexEntry),
                { statement in
                    statement.bind(index.entries, 1)
                    unsafe statement.bindBlob(key, 2)
                }
            ) { (row) throws(StorageError) in
                if row.isNull(0) { return false }
                try body(unsafe row.bytes(0, type: .blob).bytes)
                return true
            }
        }
    }

    func indexEntries(
        _ name: String,
        in range: ByteRange,
        descending: Bool,
        _ body: (_ key: RawSpan, _ value: RawSpan) throws(StorageError) -> Bool
    ) throws(StorageError) {
        guard let index = try index(name) else { return }
        try unsafe range.withBounds { (lower, upper) throws(StorageError) in
            try rows(
                .entries(RangeForm(range), descending ? .descending : .ascending),
                { unsafe $0.bind(entries: index.entries, lower, upper) }
            ) { (row) throws(StorageError) in
                try unsafe body(row.bytes(0, type: .blob).bytes, row.bytes(1, type: .blob).bytes)
            }
        }
    }

    /// Returns the number and state of an index, and the number under which its entries are stored; nil if there is
    /// none.
    final func index(_ name: String) throws(StorageError) -> (number: Int64, state: IndexState, entries: Int64)? {
        try check()
        if let index = knownState?.index, index.name.utf8.elementsEqual(name.utf8) {
            return (index.number, index.state, index.entries)
        }
        guard let found = try readIndex(name) else { return nil }
        knownState?.index = KnownIndex(name: name, number: found.number, state: found.state, entries: found.entries)
        return found
    }

    private func readIndex(
        _ name: String
    ) throws(StorageError) -> (number: Int64, state: IndexState, entries: Int64)? {
        try unsafe name.withRawBytes { (name) throws(StorageError) in
            try row(Query(.indexState), { unsafe $0.bindText(name, 1) }) { (row) throws(StorageError) in
                if row.isNull(0) { return nil }
                let number = row.integer(0)
                guard number > 0 else { throw .corrupt("A stored index has an impossible number") }
                let state = IndexState(
                    version: try row.string(1),
                    collationVersion: try row.string(2),
                    lastSequence: try row.count(3),
                    lastChangedSequence: try row.count(4),
                    rowCount: try row.count(5),
                    keepsSequences: row.integer(6) != 0
                )
                return (number, state, row.integer(7))
            }
        }
    }

    /// - Throws: `notFound` (404) if there is no such index.
    final func existingIndex(
        _ name: String
    ) throws(StorageError) -> (number: Int64, state: IndexState, entries: Int64) {
        guard let index = try index(name) else { throw .noIndex(name) }
        return index
    }
}

extension Statement {
    @unsafe
    fileprivate func bind(key: UnsafeRawBufferPointer?, id: UnsafeRawBufferPointer?, emit: UInt32?, from first: Int32) {
        if let key = unsafe key { unsafe bindBlob(key, first) }
        if let id = unsafe id { unsafe bindText(id, first + 1) }
        if let emit { bind(Int64(emit), first + 2) }
    }

    @unsafe
    func bind(entries index: Int64, _ lower: UnsafeRawBufferPointer, _ upper: UnsafeRawBufferPointer?) {
        unsafe bindBlob(lower, 1)
        if let upper = unsafe upper { unsafe bindBlob(upper, 2) }
        bind(index, 3)
    }

    fileprivate func withIndexRow(
        _ sequences: SQLiteIndexSequences,
        _ body: (borrowing IndexRowView) throws(StorageError) -> Bool
    ) throws(StorageError) -> Bool {
        guard let emit = UInt32(exactly: integer(2)) else {
            throw .corrupt("A stored index row has an impossible number")
        }
        let view = unsafe IndexRowView(
            emit: emit,
            key: try bytes(0, type: .blob),
            id: try bytes(1, type: .text),
            keyJSON: try bytes(3, type: .text),
            valueJSON: unsafe isNull(4) ? nil : try bytes(4, type: .text),
            sequences: sequences
        )
        return try body(view)
    }
}

extension IndexRange.Bound {
    fileprivate typealias Part = UnsafeRawBufferPointer?

    fileprivate func withParts(
        _ body: (_ key: Part, _ id: Part, _ emit: UInt32?) throws(StorageError) -> Void
    ) throws(StorageError) {
        switch self {
        case .open: try body(nil, nil, nil)
        case .including(let place), .excluding(let place):
            try unsafe place.key.withRawBytes { (key) throws(StorageError) in
                guard let id = place.documentID else { return try unsafe body(key, nil, nil) }
                try unsafe id.withRawBytes { (id) throws(StorageError) in try unsafe body(key, id, place.emit) }
            }
        }
    }
}
