/// Batches at fixed addresses in memory, and the orders of their rows and documents. Engines write from these.
///
/// Everything they give access to is valid only while the closure that received the batches is running.
@safe
package struct PinnedBatches: ~Copyable {
    @safe
    package struct Pinned {
        package let bytes: UnsafeRawBufferPointer
        package let documents: UnsafeBufferPointer<IndexBatch.Document>
        package let rows: UnsafeBufferPointer<IndexBatch.Row>
        /// Whether the IDs of the documents ascend.
        package let hasAscendingIDs: Bool
    }

    package let batches: UnsafeBufferPointer<Pinned>
    /// Whether everything was copied. The copy is freed with this value.
    private let isCopy: Bool
    /// How many documents and rows there are in all batches.
    package let documentCount: Int
    package let rowCount: Int

    fileprivate init(_ batches: UnsafeBufferPointer<Pinned>, isCopy: Bool = false) {
        unsafe self.batches = batches
        self.isCopy = isCopy
        var documentCount = 0
        var rowCount = 0
        for number in batches.indices {
            unsafe documentCount += batches[number].documents.count
            unsafe rowCount += batches[number].rows.count
        }
        self.documentCount = documentCount
        self.rowCount = rowCount
    }

    /// Copies batches to memory of their own, valid as long as this value lives.
    init(copying originals: [IndexBatch]) {
        var originals = originals
        self.init(taking: &originals)
    }

    /// Does the same and empties each batch once it is copied, so that not all of them are in memory twice.
    package init(taking originals: inout [IndexBatch]) {
        let list = UnsafeMutableBufferPointer<Pinned>.allocate(capacity: originals.count)
        for number in originals.indices {
            unsafe list.initializeElement(at: number, to: Pinned(copying: originals[number]))
            originals[number] = IndexBatch()
        }
        unsafe self.init(UnsafeBufferPointer(list), isCopy: true)
    }

    deinit {
        guard isCopy else { return }
        for number in unsafe batches.indices {
            unsafe batches[number].bytes.deallocate()
            unsafe batches[number].documents.deallocate()
            unsafe batches[number].rows.deallocate()
        }
        unsafe batches.deallocate()
    }
}

extension PinnedBatches.Pinned {
    fileprivate init(copying batch: IndexBatch) {
        let documents = UnsafeMutableBufferPointer<IndexBatch.Document>.allocate(capacity: batch.documents.count)
        let rows = UnsafeMutableBufferPointer<IndexBatch.Row>.allocate(capacity: batch.rows.count)
        let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: batch.byteCount, alignment: 8)
        _ = unsafe documents.initialize(from: batch.documents)
        _ = unsafe rows.initialize(from: batch.rows)
        unsafe batch.withBytes {
            unsafe bytes.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[..<batch.byteCount]))
        }
        unsafe self.init(
            bytes: UnsafeRawBufferPointer(bytes),
            documents: UnsafeBufferPointer(documents),
            rows: UnsafeBufferPointer(rows),
            hasAscendingIDs: batch.hasAscendingIDs
        )
    }
}

extension Array where Element == IndexBatch {
    /// Pins the batches while `body` runs.
    package func pinned<R, E: Error>(_ body: (borrowing PinnedBatches) throws(E) -> R) throws(E) -> R {
        let list = UnsafeMutableBufferPointer<PinnedBatches.Pinned>.allocate(capacity: count)
        defer { unsafe list.deallocate() }
        return try unsafe pinned(0, list, body)
    }

    private func pinned<R, E: Error>(
        _ number: Int,
        _ list: UnsafeMutableBufferPointer<PinnedBatches.Pinned>,
        _ body: (borrowing PinnedBatches) throws(E) -> R
    ) throws(E) -> R {
        guard number < count else { return try unsafe body(PinnedBatches(UnsafeBufferPointer(list))) }
        return try unsafe self[number].withBytes { (bytes) throws(E) in
            try unsafe self[number].documents.withUnsafeBufferPointer { (documents) throws(E) in
                try unsafe self[number].rows.withUnsafeBufferPointer { (rows) throws(E) in
                    let pinned = unsafe PinnedBatches.Pinned(
                        bytes: bytes,
                        documents: documents,
                        rows: rows,
                        hasAscendingIDs: self[number].hasAscendingIDs
                    )
                    unsafe list.initializeElement(at: number, to: pinned)
                    return try unsafe self.pinned(number + 1, list, body)
                }
            }
        }
    }
}

/// A row or a document of one of several batches.
package struct BatchItem {
    /// The batch's number.
    package let batch: UInt32
    /// The row's or document's number in it.
    package let number: UInt32

    @inlinable
    package init(batch: UInt32, number: UInt32) {
        self.batch = batch
        self.number = number
    }
}

/// A row at its location in its batch.
@safe
package struct PinnedRow {
    package let key: UnsafeRawBufferPointer
    package let id: UnsafeRawBufferPointer
    package let emit: UInt32
    package let keyJSON: UnsafeRawBufferPointer
    package let valueJSON: UnsafeRawBufferPointer?

    @inlinable
    package init(
        key: UnsafeRawBufferPointer,
        id: UnsafeRawBufferPointer,
        emit: UInt32,
        keyJSON: UnsafeRawBufferPointer,
        valueJSON: UnsafeRawBufferPointer?
    ) {
        unsafe self.key = key
        unsafe self.id = id
        self.emit = emit
        unsafe self.keyJSON = keyJSON
        unsafe self.valueJSON = valueJSON
    }
}

/// A document at its location in its batch.
@safe
package struct PinnedDocument {
    package let id: UnsafeRawBufferPointer
    package let sequence: UInt64
    package let rowCount: Int
    fileprivate let batch: UInt32
    fileprivate let firstRow: Int

    /// The item of a row of this document.
    package func row(_ emit: Int) -> BatchItem { BatchItem(batch: batch, number: UInt32(firstRow + emit)) }
}

extension PinnedBatches {
    /// Passes all documents to `body`, batch by batch.
    package func forEachDocument<E: Error>(
        _ body: (BatchItem, PinnedDocument) throws(E) -> Void
    ) throws(E) {
        for batch in unsafe batches.indices {
            for number in unsafe batches[batch].documents.indices {
                let item = BatchItem(batch: UInt32(batch), number: UInt32(number))
                try body(item, document(item))
            }
        }
    }

    package func document(_ item: BatchItem) -> PinnedDocument {
        let batch = unsafe batches[Int(item.batch)]
        let number = Int(item.number)
        let document = unsafe batch.documents[number]
        let end = unsafe number + 1 < batch.documents.count ? batch.documents[number + 1].firstRow : batch.rows.count
        return unsafe PinnedDocument(
            id: UnsafeRawBufferPointer(rebasing: batch.bytes[document.idStart..<document.idEnd]),
            sequence: document.sequence,
            rowCount: end - document.firstRow,
            batch: item.batch,
            firstRow: document.firstRow
        )
    }

    @inlinable
    package func row(_ item: BatchItem) -> PinnedRow {
        let batch = unsafe batches[Int(item.batch)]
        let row = unsafe batch.rows[Int(item.number)]
        let document = unsafe batch.documents[Int(row.document)]
        var value: UnsafeRawBufferPointer?
        if row.hasValue { unsafe value = batch.part(row.keyJSONEnd, row.valueEnd) }
        return unsafe PinnedRow(
            key: batch.part(row.start, row.keyEnd),
            id: batch.part(document.idStart, document.idEnd),
            emit: UInt32(truncatingIfNeeded: Int(item.number) - document.firstRow) + document.firstEmit,
            keyJSON: batch.part(row.keyEnd, row.keyJSONEnd),
            valueJSON: value
        )
    }

    /// Returns only the sort key of a row.
    package func key(_ item: BatchItem) -> UnsafeRawBufferPointer {
        let batch = unsafe batches[Int(item.batch)]
        let row = unsafe batch.rows[Int(item.number)]
        return unsafe batch.part(row.start, row.keyEnd)
    }
}

extension PinnedBatches.Pinned {
    @inlinable
    @inline(__always)
    package func part(_ start: Int, _ end: Int) -> UnsafeRawBufferPointer {
        unsafe UnsafeRawBufferPointer(rebasing: bytes[start..<end])
    }
}
