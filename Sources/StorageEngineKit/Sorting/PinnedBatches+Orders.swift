package import StorageProtocol

extension PinnedBatches {
    /// Returns all rows in their order.
    package func rowsInOrder() -> BatchOrder {
        var order = BatchOrder(.rows, capacity: rowCount)
        for batch in unsafe batches.indices {
            for number in unsafe batches[batch].rows.indices {
                order.append(BatchItem(batch: UInt32(batch), number: UInt32(number)))
            }
        }
        order.sort(self)
        return order
    }

    /// Returns all documents, ordered by ID.
    package func documentsInOrder() -> BatchOrder { documentsInOrder { _ in true } }

    /// Returns the documents that have rows, ordered by ID.
    package func documentsWithRowsInOrder() -> BatchOrder { documentsInOrder { $0.rowCount > 0 } }

    private func documentsInOrder(_ isIncluded: (PinnedDocument) -> Bool) -> BatchOrder {
        var order = BatchOrder(.documents, capacity: documentCount)
        forEachDocument { item, document in if isIncluded(document) { order.append(item) } }
        if !hasAscendingIDs { order.sort(self) }
        return order
    }

    /// Whether the documents are in the order of their IDs, batch by batch.
    private var hasAscendingIDs: Bool {
        var last: BatchItem?
        for batch in unsafe batches.indices {
            guard unsafe batches[batch].hasAscendingIDs else { return false }
            let count = unsafe batches[batch].documents.count
            if count == 0 { continue }
            let first = document(BatchItem(batch: UInt32(batch), number: 0))
            if let last, unsafe compareBytes(document(last).id.bytes, first.id.bytes) >= 0 { return false }
            last = BatchItem(batch: UInt32(batch), number: UInt32(count - 1))
        }
        return true
    }
}
