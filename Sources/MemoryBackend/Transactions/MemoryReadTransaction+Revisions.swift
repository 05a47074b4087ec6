internal import StorageEngineKit
internal import StorageProtocol

extension MemoryReadTransaction {
    func counters() throws(StorageError) -> StoreCounters {
        try check()
        return state.counters
    }

    func record(
        _ id: DocumentID,
        fields: RecordFields,
        _ body: (borrowing RecordView) throws(StorageError) -> Void
    ) throws(StorageError) -> Bool {
        try check()
        guard let record = state.records.record(id) else { return false }
        try hand { () throws(StorageError) in try record.withView(body) }
        return true
    }

    func records(
        in range: ByteRange,
        descending: Bool,
        fields: RecordFields,
        _ body: (borrowing RecordView) throws(StorageError) -> Bool
    ) throws(StorageError) {
        try check()
        let records = state.records
        try records.visit(isBefore: range.isBefore, isNotAfter: range.isNotAfter, descending: descending) {
            (_, record) throws(StorageError) in
            try hand { () throws(StorageError) in try record.withView(body) }
        }
    }

    func records(
        sequences range: ClosedRange<UInt64>,
        descending: Bool,
        fields: RecordFields,
        _ body: (borrowing RecordView) throws(StorageError) -> Bool
    ) throws(StorageError) {
        try check()
        let records = state.recordsBySequence
        try records.visit(isBefore: range.isBefore, isNotAfter: range.isNotAfter, descending: descending) {
            (_, record) throws(StorageError) in
            try hand { () throws(StorageError) in try record.withView(body) }
        }
    }

    func revisionBody(
        at sequence: UInt64,
        _ body: (RawSpan) throws(StorageError) -> Void
    ) throws(StorageError) -> Bool {
        try check()
        guard let kept = state.revisionBodies[sequence] else { return false }
        try hand { () throws(StorageError) in try unsafe body(kept.json.span.bytes) }
        return true
    }

    func revisionBodies(
        after sequence: UInt64?,
        _ body: (_ sequence: UInt64, _ owner: DocumentID, RawSpan) throws(StorageError) -> Bool
    ) throws(StorageError) {
        try check()
        let bodies = state.revisionBodies
        func isBefore(_ key: UInt64) -> Bool { sequence.map { key <= $0 } ?? false }
        try bodies.visit(isBefore: isBefore) { (sequence, kept) throws(StorageError) in
            try hand { () throws(StorageError) in try unsafe body(sequence, kept.owner, kept.json.span.bytes) }
        }
    }

    func hiddenEntries(
        sequences range: ClosedRange<UInt64>,
        _ body: (_ sequence: UInt64, DocumentID) throws(StorageError) -> Bool
    ) throws(StorageError) {
        try check()
        let entries = state.hiddenEntries
        try entries.visit(isBefore: range.isBefore, isNotAfter: range.isNotAfter) {
            (sequence, id) throws(StorageError) in
            try hand { () throws(StorageError) in try body(sequence, id) }
        }
    }
}

extension MemoryRecord {
    func withView<R>(_ body: (borrowing RecordView) throws(StorageError) -> R) throws(StorageError) -> R {
        try unsafe id.withRawBytes { (id) throws(StorageError) in
            try unsafe tree.withRawBytes { (tree) throws(StorageError) in
                try unsafe self.body.withRawBytes { (json) throws(StorageError) in
                    let view = unsafe RecordView(
                        sequence: sequence,
                        flags: flags,
                        id: id,
                        winner: winner,
                        tree: tree,
                        body: json
                    )
                    return try body(view)
                }
            }
        }
    }
}
