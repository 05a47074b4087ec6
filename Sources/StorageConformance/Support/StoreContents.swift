package import StorageProtocol

/// The whole content of a snapshot, for comparing stores with each other and with a model. The change counter is
/// separate, because two engines need not agree on it.
package struct StoreContents: Equatable, Sendable {
    struct Record: Equatable, Sendable {
        var id: DocumentID
        var sequence: UInt64
        var flags: DocumentFlags
        var winner: [UInt8]
        var tree: [UInt8]
        var body: [UInt8]
        var expiration: Int64?
    }
    struct OldBody: Equatable, Sendable {
        var sequence: UInt64
        var owner: DocumentID
        var json: [UInt8]
    }
    struct Entry: Equatable, Sendable {
        var number: Int64
        var id: DocumentID
    }
    struct Pair: Equatable, Sendable {
        var key: [UInt8]
        var value: [UInt8]
    }
    struct Local: Equatable, Sendable {
        var id: DocumentID
        var revision: [UInt8]
        var json: [UInt8]
    }
    struct Row: Equatable, Sendable {
        var row: IndexRow
        var id: [UInt8]
        var emit: UInt32
        var sequence: UInt64

        init(_ view: borrowing IndexRowView, hasSequence: Bool = true) throws(StorageError) {
            row = IndexRow(
                key: view.withKey { Array(copying: $0) },
                keyJSON: view.withKeyJSON { Array(copying: $0) },
                valueJSON: view.withValueJSON { Array(copying: $0) }
            )
            id = view.withID { Array(copying: $0) }
            emit = view.emit
            sequence = hasSequence ? try view.sequence() : 0
        }

        init(row: IndexRow, id: [UInt8], emit: UInt32, sequence: UInt64) {
            self.row = row
            self.id = id
            self.emit = emit
            self.sequence = sequence
        }
    }
    struct Index: Equatable, Sendable {
        var name: [UInt8]
        var state: IndexState
        var rows: [Row]
        var entries: [Pair]
    }

    var liveDocuments: UInt64
    var lastSequence: UInt64
    var records: [Record]
    var changes: [Entry]
    var oldBodies: [OldBody]
    var hidden: [Entry]
    var locals: [Local]
    var expirations: [Entry]
    var info: [Pair]
    var indexes: [Index]
    var blobReferences: [BlobReference]

    /// The same without the names of attachments' contents, because names depend on the database's keys.
    package var withoutNames: StoreContents {
        var other = self
        for place in other.blobReferences.indices { other.blobReferences[place].storageName = "" }
        return other
    }

    /// Returns the name of the first part that differs, or nil if none does.
    package func difference(from expected: StoreContents) -> String? {
        func compare<T: Equatable>(_ part: String, _ found: [T], _ wanted: [T]) -> String? {
            if found == wanted { return nil }
            let index = zip(found, wanted).prefix { $0 == $1 }.count
            let one = index < found.count ? "\(found[index])" : "nothing"
            let other = index < wanted.count ? "\(wanted[index])" : "nothing"
            return "\(part): \(found.count) instead of \(wanted.count); number \(index) is \(one) instead of \(other)"
        }
        let differences = [
            compare("live documents", [liveDocuments], [expected.liveDocuments]),
            compare("last sequence", [lastSequence], [expected.lastSequence]),
            compare("records by ID", records, expected.records),
            compare("records by sequence", changes, expected.changes),
            compare("bodies of other revisions", oldBodies, expected.oldBodies),
            compare("hidden entries", hidden, expected.hidden),
            compare("local documents", locals, expected.locals),
            compare("expirations", expirations, expected.expirations),
            compare("info", info, expected.info),
            compare("indexes", indexes, expected.indexes),
            compare("blob references", blobReferences, expected.blobReferences),
        ]
        return differences.lazy.compactMap(\.self).first
    }
}

extension ReadTransaction {
    /// Reads the whole content.
    package func contents() throws(StorageError) -> StoreContents {
        let counters = try counters()
        var records: [StoreContents.Record] = []
        try self.records(in: .all, descending: false, fields: .all) { (view) throws(StorageError) in
            let stored = try StoredRecord(view)
            records.append(
                StoreContents.Record(
                    id: stored.id,
                    sequence: stored.sequence,
                    flags: stored.flags,
                    winner: stored.winner,
                    tree: stored.tree,
                    body: stored.body,
                    expiration: try expiration(of: stored.id)
                )
            )
            return true
        }
        var changes: [StoreContents.Entry] = []
        try self.records(sequences: 0...UInt64.max, descending: false, fields: .metadata) {
            (view) throws(StorageError) in
            changes.append(.init(number: Int64(clamping: view.sequence), id: try view.documentID()))
            return true
        }
        var oldBodies: [StoreContents.OldBody] = []
        try revisionBodies { (sequence, owner, json) throws(StorageError) in
            oldBodies.append(.init(sequence: sequence, owner: owner, json: Array(copying: json)))
            return true
        }
        var hidden: [StoreContents.Entry] = []
        try hiddenEntries(sequences: 0...UInt64.max) { (sequence, id) throws(StorageError) in
            hidden.append(.init(number: Int64(clamping: sequence), id: id))
            return true
        }
        return StoreContents(
            liveDocuments: counters.liveDocuments,
            lastSequence: counters.lastSequence,
            records: records,
            changes: changes,
            oldBodies: oldBodies,
            hidden: hidden,
            locals: try localContents(),
            expirations: try expirationContents(),
            info: try allInfo().map { .init(key: bytes($0.key), value: $0.value) },
            indexes: try indexContents(),
            blobReferences: try references()
        )
    }

    private func localContents() throws(StorageError) -> [StoreContents.Local] {
        var locals: [StoreContents.Local] = []
        try localDocuments { (id, revision, json) throws(StorageError) in
            locals.append(.init(id: id, revision: Array(copying: revision), json: Array(copying: json)))
            return true
        }
        return locals
    }

    private func expirationContents() throws(StorageError) -> [StoreContents.Entry] {
        var entries: [StoreContents.Entry] = []
        try expirations(through: Int64.max) { (time, id) throws(StorageError) in
            entries.append(.init(number: time, id: id))
            return true
        }
        return entries
    }

    private func indexContents() throws(StorageError) -> [StoreContents.Index] {
        var indexes: [StoreContents.Index] = []
        for name in try indexNames() {
            guard let state = try indexState(name) else {
                throw StorageError(.unexpected, "The index is named but has no state.")
            }
            var rows: [StoreContents.Row] = []
            try indexRows(name, in: .all, descending: false) { (view) throws(StorageError) in
                rows.append(try StoreContents.Row(view, hasSequence: state.keepsSequences))
                return true
            }
            var entries: [StoreContents.Pair] = []
            try indexEntries(name, in: .all, descending: false) { (key, value) throws(StorageError) in
                entries.append(.init(key: Array(copying: key), value: Array(copying: value)))
                return true
            }
            indexes.append(.init(name: bytes(name), state: state, rows: rows, entries: entries))
        }
        return indexes
    }
}
