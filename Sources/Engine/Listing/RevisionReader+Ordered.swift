package import StorageProtocol

/// The listings of a store as all code above it reads them: they move forward, or fail with `corrupt` (591). Otherwise
/// they are like the requirements of the same kind.
extension RevisionReader {
    package func orderedRecords(
        in range: ByteRange,
        descending: Bool,
        fields: RecordFields,
        _ body: (borrowing RecordView) throws(StorageError) -> Bool
    ) throws(StorageError) {
        var order = PositionOrder(range, descending: descending, of: "documents")
        try records(in: range, descending: descending, fields: fields) { (record) throws(StorageError) in
            try record.withID { (id) throws(StorageError) in try order.advance(to: id) }
            return try body(record)
        }
        try order.end()
    }

    /// The records of a part are in no order, and not checked.
    package func orderedRecords(
        in walk: RecordWalk,
        where test: (_ id: RawSpan, _ body: RawSpan) throws(StorageError) -> Bool,
        fields: RecordFields,
        _ body: (borrowing RecordView) throws(StorageError) -> Bool
    ) throws(StorageError) {
        guard case .ids(let range, let descending) = walk else {
            return try records(in: walk, where: test, fields: fields, body)
        }
        var order = PositionOrder(range, descending: descending, of: "documents")
        try records(
            in: walk,
            where: test,
            fields: fields,
            { (record) throws(StorageError) in
                try record.withID { (id) throws(StorageError) in try order.advance(to: id) }
                return try body(record)
            }
        )
        try order.end()
    }

    package func orderedRecords(
        sequences range: ClosedRange<UInt64>,
        descending: Bool,
        fields: RecordFields,
        _ body: (borrowing RecordView) throws(StorageError) -> Bool
    ) throws(StorageError) {
        var order = SequenceOrder(range, descending: descending, of: "sequences")
        try records(sequences: range, descending: descending, fields: fields) { (record) throws(StorageError) in
            try order.advance(to: record.sequence)
            return try body(record)
        }
    }

    package func orderedRevisionBodies(
        _ body: (_ sequence: UInt64, _ owner: DocumentID, RawSpan) throws(StorageError) -> Bool
    ) throws(StorageError) {
        var order = SequenceOrder(0...UInt64.max, descending: false, of: "bodies of older revisions")
        try revisionBodies { (sequence, owner, json) throws(StorageError) in
            try order.advance(to: sequence)
            return try body(sequence, owner, json)
        }
    }

    package func orderedHiddenEntries(
        sequences range: ClosedRange<UInt64>,
        _ body: (_ sequence: UInt64, DocumentID) throws(StorageError) -> Bool
    ) throws(StorageError) {
        var order = SequenceOrder(range, descending: false, of: "notes of purges")
        try hiddenEntries(sequences: range) { (sequence, id) throws(StorageError) in
            try order.advance(to: sequence)
            return try body(sequence, id)
        }
    }

    package func orderedLocalDocuments(
        _ body: (DocumentID, _ revision: RawSpan, _ json: RawSpan) throws(StorageError) -> Bool
    ) throws(StorageError) {
        var order = PositionOrder(.all, descending: false, of: "local documents")
        try localDocuments { (id, revision, json) throws(StorageError) in
            try id.withBytes { (bytes) throws(StorageError) in try order.advance(to: bytes) }
            return try body(id, revision, json)
        }
    }
}

extension BlobReferenceReader {
    package func orderedBlobReferences(
        after digest: [UInt8]? = nil,
        _ body: (BlobReference) throws(StorageError) -> Bool
    ) throws(StorageError) {
        let range = ByteRange(lower: digest.map { .excluding($0) } ?? .open)
        var order = PositionOrder(range, descending: false, of: "attachments")
        try blobReferences(after: digest) { (reference) throws(StorageError) in
            try unsafe order.advance(to: reference.digest.span.bytes)
            return try body(reference)
        }
    }
}
