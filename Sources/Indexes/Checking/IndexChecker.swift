internal import SetteeDocumentValues
internal import SetteeEngine
internal import StorageProtocol

/// Compares the indexes of one kind with the documents, on one snapshot and in flat memory.
///
/// If the mapper is known, each document that has not changed since the index saw it must have exactly the rows
/// that the mapper makes now. In any case rows must be in order, belong to existing documents, and have the sort keys
/// of their keys.
struct IndexChecker {
    private let kind: any IndexKind
    private let database: Database
    private let transaction: any ReadTransaction

    init(_ kind: any IndexKind, _ database: Database, _ transaction: any ReadTransaction) {
        self.kind = kind
        self.database = database
        self.transaction = transaction
    }

    /// - Parameter report: receives the problems found. Their texts name no documents.
    func run(_ report: (String) -> Void) throws(StorageError) {
        var owned: Set<[UInt8]> = []
        for (key, _) in try transaction.allInfo() {
            guard let name = IndexName(recordKey: key, of: kind) else { continue }
            let record: IndexRecord?
            do throws(StorageError) {
                record = try IndexRecord.load(name, in: transaction)
            } catch {
                report(error.message)
                continue
            }
            for entry in record?.entries ?? [] {
                owned.insert(Array(entry.index.utf8))
                // An index that is being filled serves no queries, and its rows are not in order.
                if entry.filler != nil { continue }
                do throws(StorageError) {
                    try check(entry, of: name) { report("\(name.described): \($0)") }
                } catch {
                    // Damage ends the check of this index only.
                    // A mapper that cannot run here says nothing.
                    if error.code == .notImplemented { continue }
                    guard error.code == .corrupt else { throw error }
                    report("\(name.described): \(error.message)")
                }
            }
        }
        for name in try transaction.indexNames() where name.utf8.starts(with: kind.indexPrefix.utf8) {
            if !owned.contains(Array(name.utf8)) { report("the index '\(name)' belongs to no \(kind.words.noun)") }
        }
    }

    private func check(
        _ entry: IndexRecord.Entry,
        of name: IndexName,
        _ report: (String) -> Void
    ) throws(StorageError) {
        guard let state = try transaction.indexState(entry.index) else { return report("its index is missing") }
        let last = try transaction.counters().lastSequence
        if state.lastSequence > last {
            report("the index has seen sequence \(state.lastSequence), which is not used yet")
        }
        let mapper = try kind.mapper(of: name, in: database, transaction)
        let present = mapper.flatMap { $0.version == entry.version ? $0.order : nil }
        let order = present ?? kind.order(of: entry.version)
        // Another ICU version orders keys differently, which cannot be checked here.
        let isOurs =
            try order.map { (order) throws(StorageError) in
                try entry.collation == database.version(of: order)
            } ?? false
        var rows = StructureCheck(
            transaction,
            entry.index,
            state,
            isOurs ? order : nil,
            gone: try purged(after: state.lastSequence),
            mapper: mapper
        )
        guard try rows.run(report) else { return }
        try mapper?.derivedEntries?.check(entry.index, of: database, in: transaction, report)
        guard isOurs, let mapper, mapper.version == entry.version else { return }
        let expected = try countExpected(mapper, entry.index, state.lastSequence, report)
        if expected != rows.settled {
            report("\(rows.settled) rows are of documents that have not changed since, but they emit \(expected)")
        }
    }

    /// Returns the documents that were purged after a sequence: their rows may still be there.
    private func purged(after sequence: UInt64) throws(StorageError) -> Set<DocumentID> {
        var ids: Set<DocumentID> = []
        guard sequence < UInt64(Int64.max) else { return ids }
        try transaction.orderedHiddenEntries(sequences: sequence + 1...UInt64(Int64.max)) {
            (_, id) throws(StorageError) in
            ids.insert(id)
            return true
        }
        return ids
    }

    /// Looks up the rows that documents up to a sequence emit. - Returns: their number.
    private func countExpected(
        _ rowMapper: any RowMapper,
        _ index: String,
        _ last: UInt64,
        _ report: (String) -> Void
    ) throws(StorageError) -> UInt64 {
        let mapper = ChunkMapper(database: database, threads: 1)
        var expected: UInt64 = 0
        var missing = 0
        var seen: UInt64 = 0
        while seen < last {
            let chunk = try ChunkReader.read(seen + 1...last, for: [rowMapper], in: transaction)
            seen = chunk.last
            for batch in try mapper.map(chunk, [ChunkMapper.Work(mapper: rowMapper, after: 0)])[0].batches {
                expected += UInt64(batch.rowCount)
                missing += try countMissing(of: batch, in: index)
            }
        }
        if missing > 0 { report("\(missing) rows are missing or differ from what documents emit") }
        return expected
    }

    private func countMissing(of batch: IndexBatch, in index: String) throws(StorageError) -> Int {
        var missing = 0
        for document in 0..<batch.documentCount {
            let id = batch.withID(of: document) { id in unsafe id.withUnsafeBytes { unsafe Array($0) } }
            for (emit, number) in batch.rows(of: document).enumerated() {
                let row = batch.row(number)
                let place = IndexPosition(key: row.key, documentID: id, emit: UInt32(emit))
                var isThere = false
                try transaction.orderedRows(
                    index,
                    in: IndexRange(lower: .including(place), upper: .including(place)),
                    descending: false
                ) { (found) throws(StorageError) in
                    isThere = found.keyJSONCopy == row.keyJSON && found.valueJSONCopy == row.valueJSON
                    return false
                }
                if !isThere { missing += 1 }
            }
        }
        return missing
    }
}

/// Checks what can be checked of an index's rows without the mapper that made them.
private struct StructureCheck {
    private let transaction: any ReadTransaction
    private let index: String
    private let state: IndexState
    /// Nil: the sort keys have another version.
    private let order: KeyOrder?
    private let gone: Set<DocumentID>
    private let hasDesignDocuments: Bool

    /// Rows of documents that have not changed since the index saw them.
    private(set) var settled: UInt64 = 0
    private var rows: UInt64 = 0
    private var faults: [String: Int] = [:]

    init(
        _ transaction: any ReadTransaction,
        _ index: String,
        _ state: IndexState,
        _ order: KeyOrder?,
        gone: Set<DocumentID>,
        mapper: (any RowMapper)?
    ) {
        self.transaction = transaction
        self.index = index
        self.state = state
        self.order = order
        self.gone = gone
        hasDesignDocuments = mapper?.takesDesignDocuments ?? false
    }

    /// - Returns: whether the rows are in order. If not, nothing can be compared with them.
    mutating func run(_ report: (String) -> Void) throws(StorageError) -> Bool {
        var previous: RowPosition?
        var isInOrder = true
        try transaction.indexRows(index, in: .all, descending: false) { (row) throws(StorageError) in
            let place = RowPosition(row)
            if let previous, !(previous < place) {
                // From here on the same rows might repeat forever.
                isInOrder = false
                return false
            }
            previous = place
            rows += 1
            try check(row, place)
            return true
        }
        if !isInOrder { report("its rows are out of order from number \(rows + 1) on") }
        if isInOrder, rows != state.rowCount { report("the index counts \(state.rowCount) rows, but has \(rows)") }
        for (fault, count) in faults.sorted(by: { $0.key < $1.key }) { report("\(count) rows are \(fault)") }
        return isInOrder
    }

    private mutating func check(_ row: borrowing IndexRowView, _ place: RowPosition) throws(StorageError) {
        if let order {
            let belongs = row.withKeyJSON { json in unsafe order.holds(place.key.span.bytes, of: json) }
            if !belongs { faults["not where their keys belong", default: 0] += 1 }
        }
        let found = row.withID { id in try? DocumentID(stored: id) }
        guard let id = found else {
            faults["of documents whose IDs are not UTF-8", default: 0] += 1
            return
        }
        // Map functions once saw design documents: their rows stay until those documents change.
        guard !id.isDesign || hasDesignDocuments else { return }
        let sequence = try row.sequence()
        var present: UInt64?
        var isDeleted = false
        _ = try transaction.record(id, fields: .metadata) { (record) throws(StorageError) in
            present = record.sequence
            isDeleted = record.flags.contains(.deleted)
        }
        guard let present else {
            if !gone.contains(id) { faults["of documents that do not exist", default: 0] += 1 }
            return
        }
        guard present <= state.lastSequence else { return }
        settled += 1
        if isDeleted { faults["of deleted documents", default: 0] += 1 }
        if sequence != present { faults["of other revisions than the current ones", default: 0] += 1 }
    }
}

extension IndexRowView {
    fileprivate var keyJSONCopy: [UInt8] { withKeyJSON { json in unsafe json.withUnsafeBytes { unsafe Array($0) } } }
    fileprivate var valueJSONCopy: [UInt8]? {
        withValueJSON { json in unsafe json.withUnsafeBytes { unsafe Array($0) } }
    }
}
