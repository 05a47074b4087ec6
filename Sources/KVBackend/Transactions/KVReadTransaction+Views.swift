internal import StorageProtocol

extension KVReadTransaction {
    /// Passes a record with the requested fields to a caller's closure, in place.
    @inline(__always)
    final func hand<R>(
        _ record: StoredRecord,
        _ id: UnsafeRawBufferPointer,
        _ fields: RecordFields,
        _ body: (borrowing RecordView) throws(StorageError) -> R
    ) throws(StorageError) -> R {
        guard fields.contains(.body) else { return try unsafe hand(record, id, fields, json: nothing, body) }
        return try unsafe withJSON(record.body) { (json) throws(StorageError) in
            try unsafe hand(record, id, fields, json: json, body)
        }
    }

    @inline(__always)
    private final func hand<R>(
        _ record: StoredRecord,
        _ id: UnsafeRawBufferPointer,
        _ fields: RecordFields,
        json: UnsafeRawBufferPointer,
        _ body: (borrowing RecordView) throws(StorageError) -> R
    ) throws(StorageError) -> R {
        let text = unsafe fields.contains(.winner) ? record.winnerText : nothing
        if let text = unsafe text {
            let view = unsafe RecordView(
                sequence: record.sequence,
                flags: record.flags,
                id: id,
                winner: text,
                tree: record.tree,
                body: json
            )
            return try hand { () throws(StorageError) in try body(view) }
        }
        let view = unsafe RecordView(
            sequence: record.sequence,
            flags: record.flags,
            id: id,
            winner: try record.digestWinner(),
            tree: record.tree,
            body: json
        )
        return try hand { () throws(StorageError) in try body(view) }
    }

    /// Passes an entry of the order by sequence to a caller's closure, as a record without fields.
    @inline(__always)
    final func hand<R>(
        _ entry: SequenceEntry,
        at sequence: UInt64,
        _ body: (borrowing RecordView) throws(StorageError) -> R
    ) throws(StorageError) -> R {
        let view = unsafe RecordView(
            sequence: sequence,
            flags: entry.flags,
            id: entry.id,
            winner: nothing,
            tree: nothing,
            body: nothing
        )
        return try hand { () throws(StorageError) in try body(view) }
    }

    /// Decodes a stored body. This is the only function that does so. JSON that is stored unchanged is lent in place.
    @inline(__always)
    final func withJSON<R>(
        _ stored: UnsafeRawBufferPointer,
        _ use: (UnsafeRawBufferPointer) throws(StorageError) -> R
    ) throws(StorageError) -> R {
        // The usual case needs no codec. The second byte of JSON is never a control character; see `BodyParts`.
        if unsafe stored.count > 1 && stored[0] == BodyParts.Form.raw.rawValue && stored[1] >= 0x20 {
            return try unsafe use(UnsafeRawBufferPointer(rebasing: stored[1...]))
        }
        return try unsafe codec.withJSON(stored, use)
    }

    @inline(__always)
    private final var nothing: UnsafeRawBufferPointer { unsafe UnsafeRawBufferPointer(start: nil, count: 0) }
}
