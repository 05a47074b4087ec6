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
        order.sort(self)
        return order
    }
}
