internal import SetteeDocumentValues
internal import SetteeEngine
internal import StorageProtocol

/// Makes rows from documents.
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

    var isWanting: Bool { room > 0 }
    /// How many more rows fit the page.
    var room: Int { max(0, maximum - writer.count) }
    var fields: RecordFields { query.includeDocs ? .all : .winner }

    /// - Parameter id: the record's ID, if known; nil: read it.
    /// - Returns: whether it became a row.
    @discardableResult
    mutating func add(
        _ record: borrowing RecordView,
        id: DocumentID? = nil,
        _ transaction: any ReadTransaction
    ) throws(StorageError) -> Bool {
        if record.flags.contains(.deleted), mode != .includeDeleted { return false }
        if mode == .onlyConflicts, !record.flags.contains(.conflicted) { return false }
        if skip > 0 {
            skip -= 1
            return false
        }
        let known = id
        let id: DocumentID
        if let known { id = known } else { id = try record.documentID() }
        let winner = try record.winnerID()
        var entry = RowPage.Entry()
        entry.key = writer.append(json: id.string)
        if record.flags.isDisjoint(with: [.deleted, .conflicted]) {
            entry.value = writer.append(revision: winner.string)
        } else {
            entry.value = writer.append(try value(of: record, id, winner, transaction))
        }
        entry.id = record.withID { writer.append($0) }
        entry.sequence = record.sequence
        if query.includeDocs {
            // Another branch may have changed later than the winner.
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
        return true
    }

    /// Returns the value of the row of a document that is deleted or has conflicts, as canonical JSON.
    private func value(
        of record: borrowing RecordView,
        _ id: DocumentID,
        _ winner: RevisionID,
        _ transaction: any ReadTransaction
    ) throws(StorageError) -> [UInt8] {
        var value: JSONObject = ["rev": .string(winner.string)]
        if record.flags.contains(.deleted) { value["deleted"] = .bool(true) }
        if mode == .showConflicts || mode == .onlyConflicts, record.flags.contains(.conflicted) {
            value["conflicts"] = .array(try leaves(of: id, transaction).map { .string($0) })
        }
        return try value.canonicalBytes()
    }

    /// Sorts the last rows by `places`: one number for each row.
    mutating func sortLastRows(by places: [Int]) { writer.sortLastRows(by: places) }

    private func leaves(of id: DocumentID, _ transaction: any ReadTransaction) throws(StorageError) -> [String] {
        var texts: [String] = []
        _ = try transaction.record(id, fields: .tree) { (record) throws(StorageError) in
            let tree = try record.withTree { (bytes) throws(StorageError) in try RevisionTree(stored: bytes) }
            texts = tree.leaves.filter { !$0.isDeleted }.map(\.id.string)
        }
        return texts
    }
}
