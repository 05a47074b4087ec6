package import StorageProtocol

/// Loads a few rows of an order at a time. Rows in the order of their keys are scattered in memory; looking them up one
/// by one would wait for memory at each row.
@safe
package struct RowWindow: ~Copyable {
    /// The maximum number of rows it holds.
    package static let size = 32

    private let rows = UnsafeMutableBufferPointer<PinnedRow>.allocate(capacity: RowWindow.size)
    /// How many rows it holds.
    package private(set) var count = 0

    package init() {}

    deinit { unsafe rows.deallocate() }

    /// A row, numbered from 0. Valid as long as its batches are.
    package subscript(_ number: Int) -> PinnedRow {
        precondition(number < count)
        return unsafe rows[number]
    }

    /// Loads the first rows of a range of an order, as many as there is room for.
    package mutating func load(
        _ order: borrowing BatchOrder,
        _ range: Range<Int>,
        _ batches: borrowing PinnedBatches
    ) {
        count = min(range.count, RowWindow.size)
        for number in 0..<count {
            unsafe rows.initializeElement(at: number, to: batches.row(order[range.lowerBound + number]))
        }
    }
}
