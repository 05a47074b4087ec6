/// Which records `records(in:where:)` reads, and in which order.
public enum RecordWalk: Sendable {
    /// Those with IDs in a range, ordered by the bytes of the IDs, or in reverse.
    case ids(ByteRange, descending: Bool)
    /// One of several parts of all records, by its number from 0, in any order. On one snapshot each record is in
    /// exactly one of the parts.
    case part(Int, of: Int)
}

extension RevisionReader {
    public func records(
        in walk: RecordWalk,
        where test: (_ id: RawSpan, _ body: RawSpan) throws(StorageError) -> Bool,
        fields: RecordFields,
        _ body: (borrowing RecordView) throws(StorageError) -> Bool
    ) throws(StorageError) {
        let needed = fields.union(.body)
        func pass(_ record: borrowing RecordView) throws(StorageError) -> Bool {
            if record.flags.contains(.deleted) { return true }
            let passes = try record.withID { (id) throws(StorageError) in
                try record.withBody { (json) throws(StorageError) in try test(id, json) }
            }
            return passes ? try body(record) : true
        }
        switch walk {
        case .ids(let range, let descending):
            try records(in: range, descending: descending, fields: needed, pass)
        case .part(let number, let count):
            guard count > 0, 0..<count ~= number else { return }
            // Sequences are below 2^63, so that nothing overflows.
            let last = try counters().lastSequence
            let size = last / UInt64(count) + 1
            let first = UInt64(number) * size + 1
            guard first <= last else { return }
            try records(sequences: first...min(last, first + size - 1), descending: false, fields: needed, pass)
        }
    }
}
