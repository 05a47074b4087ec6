internal import StorageProtocol

/// Brings the whole content of one store into another one that is being built, as an import or a move to another engine
/// does: page by page, each read from a snapshot of its own.
struct StoreRestorer {
    private let source: any StorageEngine
    private let target: any StorageEngine
    /// The size of a page and of a transaction.
    private let page: Int

    init(from source: any StorageEngine, to target: any StorageEngine, page: Int = 7) {
        self.source = source
        self.target = target
        self.page = page
    }

    /// The source must not be written to during this, because only then do pages of several snapshots form a single
    /// state.
    func run() throws(StorageError) {
        try restoreRecords()
        try restoreBodies()
        try restoreHiddenEntries()
        try restoreLocalDocuments()
        try restoreValues()
        try restoreIndexes()
        let counters = try source.read { (tx) throws(StorageError) in try tx.counters() }
        try target.write { (tx) throws(StorageError) in try tx.restore(counters) }
    }

    /// In the order of IDs, so that sequences come in any order.
    private func restoreRecords() throws(StorageError) {
        var range = ByteRange.all
        while true {
            var records: [(draft: RecordDraft, expiration: Int64?)] = []
            try source.read { (tx) throws(StorageError) in
                try tx.records(in: range, descending: false, fields: .all) { (view) throws(StorageError) in
                    let stored = try StoredRecord(view)
                    let draft = RecordDraft(
                        documentID: stored.id,
                        flags: stored.flags,
                        sequence: stored.sequence,
                        winner: try RevisionID(text(stored.winner)),
                        tree: stored.tree,
                        body: .replace(stored.body)
                    )
                    records.append((draft, try tx.expiration(of: stored.id)))
                    return records.count < page
                }
            }
            guard let last = records.last else { return }
            range.lower = .excluding(Array(last.draft.documentID.string.utf8))
            try target.write { (tx) throws(StorageError) in
                for record in records {
                    try tx.insert(record.draft)
                    if let time = record.expiration { try tx.setExpiration(time, of: record.draft.documentID) }
                }
            }
        }
    }

    private func restoreBodies() throws(StorageError) {
        var last: UInt64?
        while true {
            var bodies: [(sequence: UInt64, owner: DocumentID, json: [UInt8])] = []
            try source.read { (tx) throws(StorageError) in
                try tx.revisionBodies(after: last) { (sequence, owner, json) throws(StorageError) in
                    bodies.append((sequence, owner, Array(copying: json)))
                    return bodies.count < page
                }
            }
            guard let end = bodies.last else { return }
            last = end.sequence
            try target.write { (tx) throws(StorageError) in
                for body in bodies {
                    try unsafe tx.putRevisionBody(body.json.span.bytes, at: body.sequence, owner: body.owner)
                }
            }
        }
    }

    private func restoreHiddenEntries() throws(StorageError) {
        var first: UInt64 = 0
        while true {
            var entries: [(sequence: UInt64, id: DocumentID)] = []
            try source.read { (tx) throws(StorageError) in
                try tx.hiddenEntries(sequences: first...UInt64.max) { (sequence, id) throws(StorageError) in
                    entries.append((sequence, id))
                    return entries.count < page
                }
            }
            guard let last = entries.last else { return }
            first = last.sequence + 1
            try target.write { (tx) throws(StorageError) in
                for entry in entries { try tx.hide(entry.id, at: entry.sequence) }
            }
        }
    }

    private func restoreLocalDocuments() throws(StorageError) {
        var last: DocumentID?
        while true {
            var locals: [StoreContents.Local] = []
            try source.read { (tx) throws(StorageError) in
                try tx.localDocuments(after: last) { (id, revision, json) throws(StorageError) in
                    locals.append(.init(id: id, revision: Array(copying: revision), json: Array(copying: json)))
                    return locals.count < page
                }
            }
            guard let end = locals.last else { return }
            last = end.id
            try target.write { (tx) throws(StorageError) in
                for local in locals {
                    try unsafe tx.putLocalDocument(
                        local.id,
                        revision: local.revision.span.bytes,
                        json: local.json.span.bytes
                    )
                }
            }
        }
    }

    private func restoreValues() throws(StorageError) {
        let (info, references) = try source.read { (tx) throws(StorageError) in (try tx.allInfo(), try tx.references())
        }
        try target.write { (tx) throws(StorageError) in
            for pair in info { try tx.setInfo(pair.value, for: pair.key) }
            for reference in references { try tx.setBlobReference(reference) }
        }
    }

    private func restoreIndexes() throws(StorageError) {
        let snapshot = try source.beginRead()
        defer { snapshot.end() }
        for name in try snapshot.indexNames() {
            try target.write { (tx) throws(StorageError) in
                try tx.fill(name, from: snapshot, name, atATime: page)
                try tx.putIndexEntries(name, from: snapshot, atATime: page)
            }
        }
    }
}
