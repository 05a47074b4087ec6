internal import StorageProtocol

/// Makes rows of documents.
struct DocumentPage {
    private let query: DatabaseQuery
    private let mode: AllDocumentsMode
    private let maximum: Int
    private(set) var writer = RowPageWriter()
    private(set) var skip: Int

    init(_ query: DatabaseQuery, _ mode: AllDocumentsMode, maximum: Int, skip: Int) {
        self.query = query
        self.mode = mode
        self.maximum = maximum
        self.skip = skip
    }

    var isWanting: Bool { writer.count < maximum }
    var fields: RecordFields { query.includeDocs ? .all : .winner }

    mutating func add(_ record: borrowing RecordView, _ transaction: any ReadTransaction) throws(StorageError) {
        if record.flags.contains(.deleted), mode != .includeDeleted { return }
        if mode == .onlyConflicts, !record.flags.contains(.conflicted) { return }
        if skip > 0 {
            skip -= 1
            return
        }
        let id = try record.documentID()
        let winner = try record.withWinner { (text) throws(StorageError) in try RevisionID(stored: text) }
        var value: JSONObject = ["rev": .string(winner.string)]
        if record.flags.contains(.deleted) { value["deleted"] = .bool(true) }
        if mode == .showConflicts || mode == .onlyConflicts, record.flags.contains(.conflicted) {
            value["conflicts"] = .array(try leaves(of: id, transaction).map { .string($0) })
        }
        var entry = RowPage.Entry()
        entry.key = writer.append(try JSONValue.string(id.string).canonicalBytes())
        entry.value = writer.append(try value.canonicalBytes())
        entry.id = record.withID { writer.append($0) }
        entry.sequence = record.sequence
        if query.includeDocs {
            // Another branch may have changed later.
            let sequence = try record.withTree { (bytes) throws(StorageError) in
                try RevisionTree(stored: bytes).winner?.sequence
            }
            let revision = SavedRevision(
                in: query.database,
                documentID: id,
                id: winner,
                sequence: sequence ?? record.sequence,
                isDeleted: record.flags.contains(.deleted),
                json: record.bodyCopy()
            )
            writer.setRevision(revision, ofRow: writer.count)
        }
        writer.add(entry)
    }

    private func leaves(of id: DocumentID, _ transaction: any ReadTransaction) throws(StorageError) -> [String] {
        var texts: [String] = []
        _ = try transaction.record(id, fields: .tree) { (record) throws(StorageError) in
            let tree = try record.withTree { (bytes) throws(StorageError) in try RevisionTree(stored: bytes) }
            texts = tree.leaves.filter { !$0.isDeleted }.map(\.id.string)
        }
        return texts
    }
}
