/// A sorted order of the rows or documents of batches. Fill it with items in order, or sort them
/// (StorageEngineKit), then read them.
@safe
package struct BatchOrder: ~Copyable {
    /// What an order sorts by.
    package enum Kind {
        /// Rows: key, document ID, emit number.
        case rows
        /// Documents: ID.
        case documents
    }

    package struct Entry {
        /// Seven bytes and how many of them there are (8: more follow), for the part of the sort in progress.
        package var prefix: UInt64
        package let item: BatchItem

        @inlinable
        package init(prefix: UInt64, item: BatchItem) {
            self.prefix = prefix
            self.item = item
        }
    }

    package let kind: Kind
    package var entries: UnsafeMutableBufferPointer<Entry>
    package var spare: UnsafeMutableBufferPointer<Entry>
    /// How many items it has.
    package var count = 0

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
    @inlinable
    package subscript(_ place: Int) -> BatchItem {
        precondition(place < count)
        return unsafe entries[place].item
    }

    @inlinable
    package mutating func append(_ item: BatchItem) {
        unsafe entries.initializeElement(at: count, to: Entry(prefix: 0, item: item))
        count += 1
    }
}
