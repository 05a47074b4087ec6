/// The rows of many documents, sorted once (StorageEngineKit), to be written in parts to an index that has none of
/// them yet (`IndexWriter.fillIndex`).
///
/// Rows are numbered from 0 in the order of (key, document ID, emit number), documents from 0 in the order of their
/// IDs. Documents without rows are left out. A load has its own copy of the batches' content.
@safe
public final class IndexLoad: @unchecked Sendable {
    // Sendable because nothing changes after `init`.
    package let batches: PinnedBatches
    package let rows: BatchOrder
    package let documents: BatchOrder

    /// - Parameters:
    ///   - batches: Copies.
    ///   - rows: The rows to write, sorted.
    ///   - documents: The documents to write, sorted.
    package init(batches: consuming PinnedBatches, rows: consuming BatchOrder, documents: consuming BatchOrder) {
        self.batches = batches
        self.rows = rows
        self.documents = documents
    }

    /// Creates a load of rows that are already sorted: those of `indexRows`, added to a batch one by one.
    ///
    /// - Throws: `badParameter` (495) if a row does not come after the previous one.
    public convenience init(sortedRows rows: IndexBatch) throws(StorageError) {
        self.init(sorted: rows)
        for place in 0..<rows.rowCount {
            guard place > 0 else { continue }
            let (last, next) = (batches.row(self.rows[place - 1]), batches.row(self.rows[place]))
            var order = unsafe compareBytes(last.key.bytes, next.key.bytes)
            if order == 0 { order = unsafe compareBytes(last.id.bytes, next.id.bytes) }
            guard order < 0 || order == 0 && last.emit < next.emit else { throw IndexLoad.disorder }
        }
    }

    /// Creates a load of documents that are already sorted: those of `indexDocuments`.
    ///
    /// - Throws: `badParameter` (495) if a document does not come after the previous one, or has no rows.
    public init(sortedDocuments documents: IndexBatch) throws(StorageError) {
        batches = PinnedBatches(copying: [documents])
        var order = BatchOrder(.documents, capacity: documents.documentCount)
        for number in 0..<documents.documentCount {
            let item = BatchItem(batch: 0, number: UInt32(number))
            let document = batches.document(item)
            guard document.rowCount > 0 else { throw IndexLoad.disorder }
            if number > 0 {
                let last = batches.document(BatchItem(batch: 0, number: UInt32(number - 1)))
                guard unsafe compareBytes(last.id.bytes, document.id.bytes) < 0 else { throw IndexLoad.disorder }
            }
            order.append(item)
        }
        self.documents = order
        rows = BatchOrder(.rows, capacity: 0)
    }

    private static let disorder = StorageError(
        .badParameter,
        "What an index is to be filled with is not in order, or has documents without rows. Sort it: "
            + "IndexLoad(batches)."
    )

    /// Creates a load of sorted rows.
    package init(sorted rows: IndexBatch) {
        batches = PinnedBatches(copying: [rows])
        var order = BatchOrder(.rows, capacity: rows.rowCount)
        for number in 0..<rows.rowCount { order.append(BatchItem(batch: 0, number: UInt32(number))) }
        self.rows = order
        documents = BatchOrder(.documents, capacity: 0)
    }

    /// How many rows can be written.
    public var rowCount: Int { rows.count }
    /// How many documents can be written.
    public var documentCount: Int { documents.count }

    /// Passes some rows to `body`, in their order.
    public func forEachRow<E: Error>(
        _ range: Range<Int>,
        _ body: (_ row: IndexRow, _ id: [UInt8], _ emit: UInt32) throws(E) -> Void
    ) throws(E) {
        for place in range {
            let row = batches.row(rows[place])
            try unsafe body(IndexRow(row), Array(row.id), row.emit)
        }
    }

    /// Passes some documents with all their rows to `body`, ordered by ID.
    public func forEachDocument<E: Error>(
        _ range: Range<Int>,
        _ body: (_ id: [UInt8], _ sequence: UInt64, _ rows: [IndexRow]) throws(E) -> Void
    ) throws(E) {
        for place in range {
            let document = batches.document(documents[place])
            let rows = (0..<document.rowCount).map { IndexRow(batches.row(document.row($0))) }
            try unsafe body(Array(document.id), document.sequence, rows)
        }
    }
}

extension IndexRow {
    fileprivate init(_ row: PinnedRow) {
        unsafe self.init(
            key: Array(row.key),
            keyJSON: Array(row.keyJSON),
            valueJSON: row.valueJSON.map { unsafe Array($0) }
        )
    }
}
