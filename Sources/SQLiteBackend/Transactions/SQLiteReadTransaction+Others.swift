internal import StorageProtocol

/// Bodies of other revisions, hidden entries, local documents, expirations, info values and blob references.
extension SQLiteReadTransaction {
    func revisionBody(
        at sequence: UInt64,
        _ body: (RawSpan) throws(StorageError) -> Void
    ) throws(StorageError) -> Bool {
        try row(
            Query(.revisionBody),
            { $0.bind(sequence, 1) },
            { (row) throws(StorageError) in
                if row.isNull(0) { return false }
                try unsafe body(row.bytes(0, type: .text).bytes)
                return true
            }
        )
    }

    func revisionBodies(
        after sequence: UInt64?,
        _ body: (_ sequence: UInt64, _ owner: DocumentID, RawSpan) throws(StorageError) -> Bool
    ) throws(StorageError) {
        try rows(
            Query(.revisionBodies),
            { $0.bind(sequence.map { Int64(clamping: $0) } ?? -1, 1) },
            { (row) throws(StorageError) in
                let owner = try row.documentID(1)
                return try unsafe body(try row.count(0), owner, row.bytes(2, type: .text).bytes)
            }
        )
    }

    func hiddenEntries(
        sequences range: ClosedRange<UInt64>,
        _ body: (_ sequence: UInt64, DocumentID) throws(StorageError) -> Bool
    ) throws(StorageError) {
        try rows(
            Query(.hiddenEntries),
            { $0.bind(range) },
            { (row) throws(StorageError) in
                try body(try row.count(0), try row.documentID(1))
            }
        )
    }

    func localDocument(
        _ id: DocumentID,
        _ body: (_ revision: RawSpan, _ json: RawSpan) throws(StorageError) -> Void
    ) throws(StorageError) -> Bool {
        try unsafe id.withRawBytes { (id) throws(StorageError) in
            try row(Query(.localDocument), { unsafe $0.bindText(id, 1) }) { (row) throws(StorageError) in
                if row.isNull(0) { return false }
                try unsafe body(row.bytes(0, type: .text).bytes, row.bytes(1, type: .text).bytes)
                return true
            }
        }
    }

    func localDocuments(
        after id: DocumentID?,
        _ body: (DocumentID, _ revision: RawSpan, _ json: RawSpan) throws(StorageError) -> Bool
    ) throws(StorageError) {
        // Every ID is above the empty text.
        try unsafe (id?.string ?? "").withRawBytes { (after) throws(StorageError) in
            try rows(
                Query(.localDocuments),
                { unsafe $0.bindText(after, 1) },
                { (row) throws(StorageError) in
                    let id = try row.documentID(0)
                    return try unsafe body(id, row.bytes(1, type: .text).bytes, row.bytes(2, type: .text).bytes)
                }
            )
        }
    }

    func expiration(of id: DocumentID) throws(StorageError) -> Int64? {
        try unsafe id.withRawBytes { (id) throws(StorageError) in
            try row(Query(.expiration), { unsafe $0.bindText(id, 1) }, { row in row.isNull(0) ? nil : row.integer(0) })
        }
    }

    func expirations(
        through limit: Int64,
        _ body: (_ time: Int64, DocumentID) throws(StorageError) -> Bool
    ) throws(StorageError) {
        try rows(
            Query(.expirations),
            { $0.bind(limit, 1) },
            { (row) throws(StorageError) in
                try body(row.integer(0), try row.documentID(1))
            }
        )
    }

    func info(_ key: String) throws(StorageError) -> [UInt8]? {
        try unsafe key.withRawBytes { (key) throws(StorageError) in
            try row(Query(.info), { unsafe $0.bindText(key, 1) }) { (row) throws(StorageError) in
                row.isNull(0) ? nil : unsafe Array(try row.bytes(0, type: .blob))
            }
        }
    }

    func allInfo() throws(StorageError) -> [(key: String, value: [UInt8])] {
        var all: [(key: String, value: [UInt8])] = []
        try rows(
            Query(.allInfo),
            { _ in },
            { (row) throws(StorageError) in
                all.append((try row.string(0), unsafe Array(try row.bytes(1, type: .blob))))
                return true
            }
        )
        return all
    }

    func blobReference(_ digest: [UInt8]) throws(StorageError) -> BlobReference? {
        try unsafe digest.withRawBytes { (digest) throws(StorageError) in
            try row(Query(.blobReference), { unsafe $0.bindBlob(digest, 1) }) { (row) throws(StorageError) in
                row.isNull(0) ? nil : try row.blobReference()
            }
        }
    }

    func blobReferences(
        after digest: [UInt8]?,
        _ body: (BlobReference) throws(StorageError) -> Bool
    ) throws(StorageError) {
        // Every digest is above the empty byte string.
        try unsafe (digest ?? []).withRawBytes { (digest) throws(StorageError) in
            try rows(
                Query(.blobReferences),
                { unsafe $0.bindBlob(digest, 1) },
                { (row) throws(StorageError) in try body(try row.blobReference()) }
            )
        }
    }
}

extension Statement {
    /// Binds a sequence. One beyond what can be stored matches nothing, and is refused when it would be written.
    func bind(_ sequence: UInt64, _ at: Int32) { bind(Int64(exactly: sequence) ?? -1, at) }

    func documentID(_ column: Int32) throws(StorageError) -> DocumentID {
        try DocumentID(stored: unsafe bytes(column, type: .text).bytes)
    }

    fileprivate func blobReference() throws(StorageError) -> BlobReference {
        BlobReference(
            digest: unsafe Array(try bytes(0, type: .blob)),
            storageName: try string(1),
            length: try count(2),
            count: try count(3)
        )
    }
}

extension DocumentID {
    /// Passes the bytes of the ID to `body`, in the form for SQLite.
    @inline(__always)
    @unsafe
    func withRawBytes<R>(_ body: (UnsafeRawBufferPointer) throws(StorageError) -> R) throws(StorageError) -> R {
        try withBytes { (span) throws(StorageError) in try unsafe span.withUnsafeBytes(body) }
    }
}

extension String {
    /// Passes the UTF-8 bytes of the text to `body`, in the form for SQLite.
    @unsafe
    func withRawBytes<R>(_ body: (UnsafeRawBufferPointer) throws(StorageError) -> R) throws(StorageError) -> R {
        try unsafe utf8.span.bytes.withUnsafeBytes(body)
    }
}
