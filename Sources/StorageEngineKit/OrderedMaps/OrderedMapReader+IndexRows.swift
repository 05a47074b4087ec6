public import StorageProtocol

extension OrderedMapReader {
    public func indexRows(
        _ name: String,
        in range: IndexRange,
        descending: Bool,
        _ body: (borrowing IndexRowView) throws(StorageError) -> Bool
    ) throws(StorageError) {
        guard try indexState(name) != nil else { throw .noIndex(name) }
        let sequences = IndexedSequences(self, name)
        try reading { () throws(StorageError) in
            try values(in: range.keys(behind: MapKey.rows(of: name)), descending: descending) {
                (_, value) throws(StorageError) in
                let (row, id, emit) = try IndexRow.unpack(value)
                return try transactionGuard.hand { () throws(StorageError) in
                    try IndexRowView.with(row, id: id, emit: emit, sequences: sequences, body)
                }
            }
        }
    }

    public func indexedSequence(_ name: String, _ id: DocumentID) throws(StorageError) -> UInt64? {
        guard let state = try indexState(name) else { return nil }
        guard state.keepsSequences else { throw .indexKeepsNoSequences }
        return try reading { () throws(StorageError) in
            try document(MapKey.documents(of: name) + id.string.utf8)?.sequence
        }
    }

    public func indexDocuments(
        _ name: String,
        after id: DocumentID?,
        _ body: (borrowing IndexDocumentView) throws(StorageError) -> Bool
    ) throws(StorageError) {
        guard try indexState(name) != nil else { throw .noIndex(name) }
        let prefix = MapKey.documents(of: name)
        let range = ByteRange(lower: id.map { .excluding(Array($0.string.utf8)) } ?? .open)
        try reading { () throws(StorageError) in
            try values(in: range.behind(prefix), descending: false) { (key, _) throws(StorageError) in
                guard let (sequence, keys) = try document(key) else { return true }
                let id = Array(key.dropFirst(prefix.count))
                return try transactionGuard.hand { () throws(StorageError) in
                    try IndexDocumentView.with(id: id, sequence: sequence, keys: keys, body)
                }
            }
        }
    }

    /// Returns what an index stores about a document: its sequence, and the sort keys of its rows.
    func document(_ key: [UInt8]) throws(StorageError) -> (sequence: UInt64, keys: [[UInt8]])? {
        guard let packed = try value(key) else { return nil }
        let parts = try ByteCoding.unpack(packed)
        guard let sequence = parts.first else { throw .corrupt("What an index knows of a document is damaged") }
        return (try ByteCoding.number(sequence), Array(parts.dropFirst()))
    }
}

extension IndexRange {
    /// The map keys of its rows.
    fileprivate func keys(behind prefix: [UInt8]) -> ByteRange {
        func rows(_ position: IndexPosition) -> ByteRange {
            .beginning(with: prefix + MapKey.place(position.key, position.documentID, position.emit))
        }
        var range = ByteRange.beginning(with: prefix)
        switch lower {
        case .open: break
        case .including(let position): range.lower = rows(position).lower
        case .excluding(let position):
            if case .excluding(let end) = rows(position).upper { range.lower = .including(end) }
        }
        switch upper {
        case .open: break
        case .including(let position): range.upper = rows(position).upper
        case .excluding(let position):
            if case .including(let start) = rows(position).lower { range.upper = .excluding(start) }
        }
        return range
    }
}

extension IndexRow {
    /// Returns a row as stored in the map under `MapKey.rows(of:)` and its position.
    func packed(_ id: [UInt8], _ emit: UInt32) -> [UInt8] {
        ByteCoding.pack([key, id, ByteCoding.bytes(UInt64(emit)), keyJSON] + (valueJSON.map { [$0] } ?? []))
    }

    static func unpack(_ packed: [UInt8]) throws(StorageError) -> (row: IndexRow, id: [UInt8], emit: UInt32) {
        let parts = try ByteCoding.unpack(packed)
        guard parts.count == 4 || parts.count == 5, let emit = UInt32(exactly: try ByteCoding.number(parts[2])) else {
            throw .corrupt("A row of an index is damaged")
        }
        let row = IndexRow(key: parts[0], keyJSON: parts[3], valueJSON: parts.count == 5 ? parts[4] : nil)
        return (row, parts[1], emit)
    }
}
