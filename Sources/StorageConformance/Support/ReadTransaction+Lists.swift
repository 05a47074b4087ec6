internal import StorageProtocol

/// A record, copied out of its view.
struct StoredRecord: Equatable, Sendable {
    var id: DocumentID
    var sequence: UInt64
    var flags: DocumentFlags
    var winner: [UInt8]
    var tree: [UInt8]
    var body: [UInt8]

    init(_ view: borrowing RecordView) throws(StorageError) {
        id = try view.documentID()
        sequence = view.sequence
        flags = view.flags
        winner = view.withWinner { Array(copying: $0) }
        tree = view.withTree { Array(copying: $0) }
        body = view.withBody { Array(copying: $0) }
    }
}

extension ReadTransaction {
    /// Returns the record of `id` with all fields.
    func stored(_ id: String) throws(StorageError) -> StoredRecord? {
        try stored(try DocumentID(id))
    }

    func stored(_ id: DocumentID) throws(StorageError) -> StoredRecord? {
        var result: StoredRecord?
        let found = try record(id, fields: .all) { (view) throws(StorageError) in result = try StoredRecord(view) }
        return found ? result : nil
    }

    /// Returns the body of `id` as text.
    func json(_ id: String) throws(StorageError) -> String? { try stored(id).map { text($0.body) } }

    /// Returns the IDs in a range, at most `limit` of them: the closure returns false at the last one.
    func ids(
        _ range: ByteRange = .all,
        descending: Bool = false,
        limit: Int = .max
    ) throws(StorageError) -> [String] {
        var ids: [String] = []
        try records(in: range, descending: descending, fields: .metadata) { (view) throws(StorageError) in
            ids.append(view.withID { text($0) })
            return ids.count < limit
        }
        return ids
    }

    /// Returns IDs ordered by sequence, each with its sequence.
    func changes(
        _ range: ClosedRange<UInt64> = 0...UInt64.max,
        descending: Bool = false,
        limit: Int = .max
    ) throws(StorageError) -> [String] {
        var ids: [String] = []
        try records(sequences: range, descending: descending, fields: .metadata) { (view) throws(StorageError) in
            ids.append("\(view.sequence) " + view.withID { text($0) })
            return ids.count < limit
        }
        return ids
    }

    func hidden(_ range: ClosedRange<UInt64> = 0...UInt64.max, limit: Int = .max) throws(StorageError) -> [String] {
        var entries: [String] = []
        try hiddenEntries(sequences: range) { (sequence, id) throws(StorageError) in
            entries.append("\(sequence) \(id)")
            return entries.count < limit
        }
        return entries
    }

    func oldBody(_ sequence: UInt64) throws(StorageError) -> String? {
        var result: String?
        let found = try revisionBody(at: sequence) { bytes in result = text(bytes) }
        return found ? result : nil
    }

    func oldBodies(after sequence: UInt64? = nil, limit: Int = .max) throws(StorageError) -> [String] {
        var bodies: [String] = []
        try revisionBodies(after: sequence) { (sequence, owner, bytes) throws(StorageError) in
            bodies.append("\(sequence) of \(owner): \(text(bytes))")
            return bodies.count < limit
        }
        return bodies
    }

    func local(_ id: String) throws(StorageError) -> String? {
        var result: String?
        let found = try localDocument(try DocumentID(id)) { revision, json in result = text(revision) + " " + text(json)
        }
        return found ? result : nil
    }

    func locals(after id: String? = nil, limit: Int = .max) throws(StorageError) -> [String] {
        var ids: [String] = []
        try localDocuments(after: try id.map { (id) throws(StorageError) in try DocumentID(id) }) {
            (id, revision, json) throws(StorageError) in
            ids.append("\(id) \(text(revision)) \(text(json))")
            return ids.count < limit
        }
        return ids
    }

    func expiring(through limit: Int64, count: Int = .max) throws(StorageError) -> [String] {
        var entries: [String] = []
        try expirations(through: limit) { (time, id) throws(StorageError) in
            entries.append("\(time) \(id)")
            return entries.count < count
        }
        return entries
    }

    /// Returns rows of an index as `key id emit keyJSON valueJSON`.
    func rows(
        _ name: String,
        _ range: IndexRange = .all,
        descending: Bool = false,
        limit: Int = .max
    ) throws(StorageError) -> [String] {
        var rows: [String] = []
        try indexRows(name, in: range, descending: descending) { (row) throws(StorageError) in
            let key = row.withKey { text($0) }
            let id = row.withID { text($0) }
            let keyJSON = row.withKeyJSON { text($0) }
            let value = row.withValueJSON { text($0) } ?? "-"
            rows.append("\(key) \(id) \(row.emit) \(keyJSON) \(value)")
            return rows.count < limit
        }
        return rows
    }

    func entries(
        _ name: String,
        _ range: ByteRange = .all,
        descending: Bool = false,
        limit: Int = .max
    ) throws(StorageError) -> [String] {
        var blocks: [String] = []
        try indexEntries(name, in: range, descending: descending) { (key, value) throws(StorageError) in
            blocks.append(text(key) + " " + text(value))
            return blocks.count < limit
        }
        return blocks
    }

    func references(after digest: [UInt8]? = nil, limit: Int = .max) throws(StorageError) -> [BlobReference] {
        var references: [BlobReference] = []
        try blobReferences(after: digest) { (reference) throws(StorageError) in
            references.append(reference)
            return references.count < limit
        }
        return references
    }
}
