/// An order of rows or documents of batches. Fill it with items, sort it, then take them out.
///
/// A sort looks at each byte of a key or ID at most once, and at few of them where they differ early: eight bytes at a
/// time, from where they begin to differ, are sorted as one number. Complexity: flat per item for short keys.
@safe
package struct BatchOrder: ~Copyable {
    /// What an order goes by.
    package enum Kind {
        /// Rows: key, document ID, emit number.
        case rows
        /// Documents: ID.
        case documents
    }

    struct Entry {
        /// Seven bytes and how many of them there are (8: more follow), for the sort that goes on.
        var prefix: UInt64
        var item: BatchItem
    }

    let kind: Kind
    var entries: UnsafeMutableBufferPointer<Entry>
    var spare: UnsafeMutableBufferPointer<Entry>
    /// How many items it has.
    package private(set) var count = 0

    /// - Parameter capacity: how many items it will get at most.
    package init(_ kind: Kind, capacity: Int) {
        self.kind = kind
        unsafe entries = .allocate(capacity: capacity)
        unsafe spare = .allocate(capacity: capacity)
    }

    deinit {
        unsafe entries.deallocate()
        unsafe spare.deallocate()
    }

    /// The item at a place.
    package subscript(_ place: Int) -> BatchItem {
        precondition(place < count)
        return unsafe entries[place].item
    }

    package mutating func append(_ item: BatchItem) {
        unsafe entries.initializeElement(at: count, to: Entry(prefix: 0, item: item))
        count += 1
    }

    /// Sorts the items, which are of `batches`.
    package mutating func sort(_ batches: borrowing PinnedBatches) { sort(batches, 0..<count, .first, 0, depth: 0) }
}

extension PinnedBatches {
    /// All rows in their order.
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

    /// All documents in the order of their IDs.
    package func documentsInOrder() -> BatchOrder { documentsInOrder { _ in true } }

    /// The documents that have rows, in the order of their IDs.
    package func documentsWithRowsInOrder() -> BatchOrder { documentsInOrder { $0.rowCount > 0 } }

    private func documentsInOrder(_ isIncluded: (PinnedDocument) -> Bool) -> BatchOrder {
        var order = BatchOrder(.documents, capacity: documentCount)
        forEachDocument { item, document in if isIncluded(document) { order.append(item) } }
        order.sort(self)
        return order
    }
}
