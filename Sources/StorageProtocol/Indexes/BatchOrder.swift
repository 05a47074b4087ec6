/// A sorted order of the rows or documents of batches. Fill it with items, sort it, then read them.
///
/// The sort reads each byte of a key or ID at most once, and only a few of them if they differ early: from the position
/// where they begin to differ, eight bytes at a time are sorted as one number. Complexity: O(1) per item for short
/// keys.
@safe
package struct BatchOrder: ~Copyable {
    /// What an order sorts by.
    package enum Kind {
        /// Rows: key, document ID, emit number.
        case rows
        /// Documents: ID.
        case documents
    }

    struct Entry {
        /// Seven bytes and how many of them there are (8: more follow), for the part of the sort in progress.
        var prefix: UInt64
        var item: BatchItem
    }

    let kind: Kind
    var entries: UnsafeMutableBufferPointer<Entry>
    var spare: UnsafeMutableBufferPointer<Entry>
    /// How many items it has.
    package private(set) var count = 0

    /// - Parameter capacity: The maximum number of items.
    package init(_ kind: Kind, capacity: Int) {
        self.kind = kind
        unsafe entries = .allocate(capacity: capacity)
        unsafe spare = .allocate(capacity: capacity)
    }

    deinit {
        unsafe entries.deallocate()
        unsafe spare.deallocate()
    }

    /// The item at a position.
    package subscript(_ place: Int) -> BatchItem {
        precondition(place < count)
        return unsafe entries[place].item
    }

    package mutating func append(_ item: BatchItem) {
        unsafe entries.initializeElement(at: count, to: Entry(prefix: 0, item: item))
        count += 1
    }

    /// Sorts the items, which must belong to `batches`.
    package mutating func sort(_ batches: borrowing PinnedBatches) { sort(batches, 0..<count, .first, 0, depth: 0) }
}

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
