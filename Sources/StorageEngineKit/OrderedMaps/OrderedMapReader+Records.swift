public import StorageProtocol

extension OrderedMapReader {
    public func counters() throws(StorageError) -> StoreCounters {
        try reading { () throws(StorageError) in
            var counters = StoreCounters(liveDocuments: 0, lastSequence: 0, changeCounter: 0)
            guard let packed = try value(MapKey.counters) else { return counters }
            let parts = try ByteCoding.unpack(packed, count: 3)
            counters.liveDocuments = try ByteCoding.number(parts[0])
            counters.lastSequence = try ByteCoding.number(parts[1])
            counters.changeCounter = try ByteCoding.number(parts[2])
            let largest = max(counters.liveDocuments, counters.lastSequence, counters.changeCounter)
            guard largest <= UInt64(Int64.max) else { throw .corrupt("The store's counters cannot be") }
            return counters
        }
    }

    func stored(_ id: DocumentID) throws(StorageError) -> MapRecord? {
        guard let packed = try value(MapKey.record(id)) else { return nil }
        return try MapRecord(id, packed: packed)
    }

    public func record(
        _ id: DocumentID,
        fields: RecordFields,
        _ body: (borrowing RecordView) throws(StorageError) -> Void
    ) throws(StorageError) -> Bool {
        try reading { () throws(StorageError) in
            guard let record = try stored(id) else { return false }
            try transactionGuard.hand { () throws(StorageError) in try record.hand(body) }
            return true
        }
    }

    public func records(
        in range: ByteRange,
        descending: Bool,
        fields: RecordFields,
        _ body: (borrowing RecordView) throws(StorageError) -> Bool
    ) throws(StorageError) {
        try reading { () throws(StorageError) in
            try values(in: range.behind(MapKey.record), descending: descending) { (key, value) throws(StorageError) in
                let id = key.dropFirst()
                let record = try MapRecord(try DocumentID(stored: unsafe id.span.bytes), packed: value)
                return try transactionGuard.hand { () throws(StorageError) in try record.hand(body) }
            }
        }
    }

    public func records(
        sequences range: ClosedRange<UInt64>,
        descending: Bool,
        fields: RecordFields,
        _ body: (borrowing RecordView) throws(StorageError) -> Bool
    ) throws(StorageError) {
        let bounds = (ByteCoding.bytes(range.lowerBound), ByteCoding.bytes(range.upperBound))
        let keys = ByteRange(lower: .including(bounds.0), upper: .including(bounds.1)).behind(MapKey.sequence)
        try reading { () throws(StorageError) in
            try values(in: keys, descending: descending) { (_, id) throws(StorageError) in
                guard let record = try stored(try DocumentID(stored: unsafe id.span.bytes)) else {
                    throw .corrupt("A sequence is that of no record")
                }
                return try transactionGuard.hand { () throws(StorageError) in try record.hand(body) }
            }
        }
    }

    public func revisionBody(
        at sequence: UInt64,
        _ body: (RawSpan) throws(StorageError) -> Void
    ) throws(StorageError) -> Bool {
        try reading { () throws(StorageError) in
            guard let packed = try value(MapKey.body + ByteCoding.bytes(sequence)) else { return false }
            let json = try ByteCoding.unpack(packed, count: 2)[1]
            try transactionGuard.hand { () throws(StorageError) in try unsafe body(json.span.bytes) }
            return true
        }
    }

    public func revisionBodies(
        after sequence: UInt64?,
        _ body: (_ sequence: UInt64, _ owner: DocumentID, RawSpan) throws(StorageError) -> Bool
    ) throws(StorageError) {
        let range = ByteRange(lower: sequence.map { .excluding(ByteCoding.bytes($0)) } ?? .open)
        try reading { () throws(StorageError) in
            try values(in: range.behind(MapKey.body), descending: false) { (key, value) throws(StorageError) in
                let sequence = try ByteCoding.number(key.dropFirst())
                let parts = try ByteCoding.unpack(value, count: 2)
                let (owner, json) = (parts[0], parts[1])
                let id = try DocumentID(stored: unsafe owner.span.bytes)
                return try transactionGuard.hand { () throws(StorageError) in
                    try unsafe body(sequence, id, json.span.bytes)
                }
            }
        }
    }
}
