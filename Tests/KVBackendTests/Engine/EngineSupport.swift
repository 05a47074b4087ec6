internal import StorageProtocol

@testable internal import SetteeKV

extension TestFolder {
    /// The engine's store in this folder, created if missing.
    func openEngine(readOnly: Bool = false) throws(StorageError) -> LMDBEngine {
        try LMDBEngine(
            directory: path,
            options: StorageOptions(create: !readOnly, readOnly: readOnly, durability: .normal),
            mapSize: 1 << 32
        )
    }
}

extension LMDBEngine {
    /// What `verify` finds.
    func problems() throws(StorageError) -> [String] {
        var found: [String] = []
        try verify { found.append("\($0)") }
        return found
    }

    /// The entries of a table, keys and values in hexadecimal digits.
    func entries(_ table: Table) throws(StorageError) -> [String] {
        try store.read { (transaction) throws(StorageError) in
            let cursor = try transaction.cursor(table)
            defer { cursor.close() }
            var entries: [String] = []
            var isThere = try cursor.seek(.first)
            while isThere {
                entries.append(hex(cursor.key) + " " + hex(cursor.value))
                isThere = try cursor.next()
            }
            return entries
        }
    }

    /// Puts an entry (nil: removes it), bypassing the engine.
    func tamper(_ table: Table, _ key: [UInt8], _ value: [UInt8]?) throws(StorageError) {
        try store.write { (transaction) throws(StorageError) in
            try key.withRawBytes { (key) throws(StorageError) in
                guard let value else {
                    _ = try transaction.remove(key, in: table, mode: .known)
                    return
                }
                _ = try transaction.put(key, in: table, length: value.count, mode: .upsert) {
                    $0.copyBytes(from: value)
                }
            }
        }
    }
}

extension ReadTransaction {
    /// The body of a document, nil if there is none.
    func json(_ id: String) throws(StorageError) -> String? {
        var json: String?
        _ = try record(try DocumentID(id), fields: .body) { (view) throws(StorageError) in
            json = String(decoding: view.bodyCopy(), as: UTF8.self)
        }
        return json
    }

    /// All documents by sequence: sequence, ID.
    func changes(descending: Bool = false, fields: RecordFields = .metadata) throws(StorageError) -> [String] {
        var list: [String] = []
        try records(sequences: 0...UInt64.max, descending: descending, fields: fields) { (view) throws(StorageError) in
            list.append("\(view.sequence) \(try view.documentID())")
            return true
        }
        return list
    }
}

extension WriteTransaction {
    /// Adds a live document under the next sequence.
    func add(_ id: String, _ json: String = "{}") throws(StorageError) {
        try insert(draft(id, .replace(Array(json.utf8))))
    }

    /// Updates a document under the next sequence: it is live then.
    func change(_ id: String, _ body: RecordDraft.BodyChange = .unchanged) throws(StorageError) {
        try update(draft(id, body))
    }

    func purge(_ id: String) throws(StorageError) {
        try purge(try DocumentID(id), sequence: try counters().lastSequence + 1)
    }

    private func draft(_ id: String, _ body: RecordDraft.BodyChange) throws(StorageError) -> RecordDraft {
        let sequence = try counters().lastSequence + 1
        return RecordDraft(
            documentID: try DocumentID(id),
            flags: [],
            sequence: sequence,
            winner: try RevisionID("1-\(sequence)"),
            tree: [1, 2, 3],
            body: body
        )
    }
}
