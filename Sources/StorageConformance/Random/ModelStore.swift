internal import StorageProtocol

/// The expected content of a store, in plain dictionaries.
struct ModelStore: Sendable {
    struct Record: Sendable {
        var sequence: UInt64
        var flags: DocumentFlags
        var winner: RevisionID
        var tree: [UInt8]
        var body: [UInt8]
        var expiration: Int64?
    }
    struct Index: Sendable {
        var state: IndexState
        var documents: [DocumentID: (sequence: UInt64, rows: [IndexRow])] = [:]
        var entries: [[UInt8]: [UInt8]] = [:]
    }

    var records: [DocumentID: Record] = [:]
    var oldBodies: [UInt64: (owner: DocumentID, json: [UInt8])] = [:]
    var hidden: [UInt64: DocumentID] = [:]
    var locals: [DocumentID: (revision: [UInt8], json: [UInt8])] = [:]
    var info: [[UInt8]: [UInt8]] = [:]
    var indexes: [[UInt8]: Index] = [:]
    var blobs: [[UInt8]: BlobReference] = [:]
    var lastSequence: UInt64 = 0

    var liveDocuments: UInt64 { UInt64(records.values.count { !$0.flags.contains(.deleted) }) }

    /// Whether a record or a hidden entry has `sequence`.
    func isInUse(_ sequence: UInt64) -> Bool {
        hidden[sequence] != nil || records.values.contains { $0.sequence == sequence }
    }

    /// Returns the sequences at which bodies of `id` are kept.
    func oldSequences(of id: DocumentID) -> [UInt64] {
        oldBodies.filter { $0.value.owner == id }.keys.sorted()
    }

    var contents: StoreContents {
        let byID = records.sorted { $0.key < $1.key }
        return StoreContents(
            liveDocuments: liveDocuments,
            lastSequence: lastSequence,
            records: byID.map { id, record in
                .init(
                    id: id,
                    sequence: record.sequence,
                    flags: record.flags,
                    winner: Array(record.winner.string.utf8),
                    tree: record.tree,
                    body: record.body,
                    expiration: record.expiration
                )
            },
            changes: changes.map { .init(number: Int64($0.sequence), id: $0.id) },
            oldBodies: oldBodies.sorted { $0.key < $1.key }.map {
                .init(sequence: $0.key, owner: $0.value.owner, json: $0.value.json)
            },
            hidden: hidden.sorted { $0.key < $1.key }.map { .init(number: Int64($0.key), id: $0.value) },
            locals: locals.sorted { $0.key < $1.key }.map {
                .init(id: $0.key, revision: $0.value.revision, json: $0.value.json)
            },
            expirations: expirations,
            info: pairs(info),
            indexes: indexes.sorted { compareBytes($0.key, $1.key) < 0 }.map { name, index in
                .init(name: name, state: index.state, rows: rows(of: index), entries: pairs(index.entries))
            },
            blobReferences: blobs.values.sorted { compareBytes($0.digest, $1.digest) < 0 }
        )
    }

    /// The documents, ordered by sequence.
    var changes: [(sequence: UInt64, id: DocumentID)] {
        records.map { ($0.value.sequence, $0.key) }.sorted { $0.0 < $1.0 }
    }

    /// Returns the rows of an index in their order.
    func rows(of index: Index) -> [StoreContents.Row] {
        var rows: [StoreContents.Row] = []
        for (id, document) in index.documents {
            for (emit, row) in document.rows.enumerated() {
                let id = Array(id.string.utf8)
                rows.append(.init(row: row, id: id, emit: UInt32(emit), sequence: document.sequence))
            }
        }
        return rows.sorted { a, b in
            let byKey = compareBytes(a.row.key, b.row.key)
            if byKey != 0 { return byKey < 0 }
            let byID = compareBytes(a.id, b.id)
            return byID != 0 ? byID < 0 : a.emit < b.emit
        }
    }

    private var expirations: [StoreContents.Entry] {
        records.compactMap { id, record in record.expiration.map { .init(number: $0, id: id) } }
            .sorted { ($0.number, $0.id) < ($1.number, $1.id) }
    }

    private func pairs(_ values: [[UInt8]: [UInt8]]) -> [StoreContents.Pair] {
        values.sorted { compareBytes($0.key, $1.key) < 0 }.map { .init(key: $0.key, value: $0.value) }
    }
}
