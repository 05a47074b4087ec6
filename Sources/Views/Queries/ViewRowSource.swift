internal import SetteeEngine
internal import SetteeIndexes
internal import StorageProtocol

/// The rows of a view as they were emitted.
struct ViewRowSource: PageSource {
    private let query: DatabaseQuery
    private let name: IndexName
    /// What the snapshot of the first page shows.
    private var begun: IndexSnapshot?
    private let needsSequences: Bool
    private var keys: KeyRange?
    /// What remains to be read, in order.
    private var ranges: ArraySlice<IndexRange> = []
    private var identity: String?
    /// How many rows to skip before the first one.
    private var skip: Int

    /// - Parameters:
    ///   - view: as the snapshot of the first page shows it.
    ///   - skip: how many rows to skip.
    ///   - needsSequences: whether rows need sequences if their values do not show whether they changed.
    init(_ query: DatabaseQuery, _ view: IndexSnapshot, skip: Int, needsSequences: Bool) {
        self.query = query
        name = view.name
        begun = view
        self.skip = skip
        self.needsSequences = needsSequences
    }

    mutating func page(_ transaction: any ReadTransaction, maximum: Int) throws(StorageError) -> RowPage {
        let database = query.database
        let isFirst = keys == nil
        let view: IndexSnapshot
        if let begun = begun.take() {
            view = begun
        } else {
            view = try IndexSnapshot(name, of: database, in: transaction)
        }
        let source = try ReadableIndex(
            view,
            of: database,
            in: transaction,
            mode: query.update.indexMode,
            identity: identity
        )
        identity = source.identity
        if isFirst {
            let range = try KeyRange(query, source.order.collator)
            keys = range
            ranges = range.ranges[...]
        }
        var builder = RowPageBuilder(
            query,
            needsSequences: needsSequences,
            isOverlaid: source.overlay != nil,
            maximum: maximum,
            skip: skip
        )
        while builder.isWanting, let range = ranges.first {
            var last: IndexPosition?
            let prefix = keys?.prefix
            try source.rows(in: range, descending: query.descending, transaction) { (row) throws(StorageError) in
                if let prefix {
                    let belongs = row.withKeyJSON { json in prefix.contain(RowPosition(row), keyJSON: json) }
                    guard belongs else { return true }
                }
                try builder.add(row)
                guard builder.isWanting else {
                    last = RowPosition(row).position
                    return false
                }
                return true
            }
            guard let last else {
                ranges.removeFirst()
                continue
            }
            if query.descending {
                ranges[ranges.startIndex].upper = .excluding(last)
            } else {
                ranges[ranges.startIndex].lower = .excluding(last)
            }
        }
        skip = builder.skip
        try builder.readDocuments(transaction)
        return builder.writer.page(of: database, index: source.index)
    }
}

/// Copies rows into a page.
struct RowPageBuilder {
    private let query: DatabaseQuery
    private let needsSequences: Bool
    /// Whether the sequences of rows cannot be read from the index alone.
    private let isOverlaid: Bool
    private let maximum: Int
    private(set) var writer = RowPageWriter()
    private(set) var skip: Int

    init(_ query: DatabaseQuery, needsSequences: Bool, isOverlaid: Bool, maximum: Int, skip: Int) {
        self.query = query
        self.needsSequences = needsSequences
        self.isOverlaid = isOverlaid
        self.maximum = maximum
        self.skip = skip
    }

    var isWanting: Bool { writer.count < maximum }

    mutating func add(_ row: borrowing IndexRowView) throws(StorageError) {
        if skip > 0 {
            skip -= 1
            return
        }
        var entry = RowPage.Entry()
        entry.key = row.withKeyJSON { writer.append($0) }
        entry.id = row.withID { writer.append($0) }
        let marker = EmittedRows.documentMarker
        let value = row.withValueJSON { value -> Range<Int>? in
            let isMarker = unsafe value.byteCount == 1 && value.unsafeLoad(as: UInt8.self) == marker[0]
            return isMarker ? nil : writer.append(value)
        }
        switch value {
        case .some(.some(let range)): entry.value = range
        case .some(.none): entry.hasDocumentValue = true
        case .none: break
        }
        if isOverlaid || needsSequences && (entry.value == nil || query.includeDocs) {
            entry.sequence = try row.sequence()
        }
        writer.add(entry)
    }

    /// Reads the documents that the rows need.
    mutating func readDocuments(_ transaction: any ReadTransaction) throws(StorageError) {
        let page = writer.page(of: query.database, index: nil)
        var rows: [Int] = []
        var ids: [DocumentID] = []
        for (number, entry) in page.entries.enumerated() where entry.hasDocumentValue || query.includeDocs {
            guard let id = QueryRow(number, of: page, includesDocument: false).documentID else { continue }
            if id.isLocal {
                set(try query.database.revision(of: id, in: transaction), ofRow: number)
            } else {
                rows.append(number)
                ids.append(id)
            }
        }
        try query.database.revisions(of: ids, in: transaction) { place, revision in set(revision, ofRow: rows[place]) }
    }

    private mutating func set(_ revision: SavedRevision?, ofRow row: Int) {
        if let revision, !revision.isDeleted { writer.setRevision(revision, ofRow: row) }
    }
}
