internal import SetteeEngine
internal import StorageProtocol

/// Merges the rows of an index with those of its overlay, in one order.
struct IndexMerge {
    private let overlay: IndexOverlay
    private let range: IndexRange
    private let descending: Bool
    /// The indexes of the overlay's remaining rows.
    private var pending: Range<Int>

    init(_ overlay: IndexOverlay, _ range: IndexRange, descending: Bool) {
        self.overlay = overlay
        self.range = range
        self.descending = descending
        pending = overlay.places(in: range)
    }

    /// Returns the next row of the overlay.
    private func next(of pending: Range<Int>) -> IndexOverlay.Row? {
        pending.isEmpty ? nil : overlay.rows[descending ? pending.upperBound - 1 : pending.lowerBound]
    }

    /// Returns what remains after the next row.
    private func rest(of pending: Range<Int>) -> Range<Int> {
        descending ? pending.lowerBound..<pending.upperBound - 1 : pending.lowerBound + 1..<pending.upperBound
    }

    mutating func run(
        _ index: String?,
        _ transaction: any ReadTransaction,
        _ body: (borrowing IndexRowView) throws(StorageError) -> Bool
    ) throws(StorageError) {
        var isOver = false
        if let index {
            var left = pending
            try transaction.orderedRows(index, in: range, descending: descending) { (row) throws(StorageError) in
                let place = RowPosition(row)
                while let next = next(of: left), descending ? place < next.place : next.place < place {
                    left = rest(of: left)
                    guard try IndexMerge.hand(next, body) else {
                        isOver = true
                        return false
                    }
                }
                if overlay.documents.contains(place.id) { return true }
                isOver = try !body(row)
                return !isOver
            }
            pending = left
        }
        while !isOver, let next = next(of: pending) {
            pending = rest(of: pending)
            isOver = try !IndexMerge.hand(next, body)
        }
    }

    private static func hand(
        _ row: IndexOverlay.Row,
        _ body: (borrowing IndexRowView) throws(StorageError) -> Bool
    ) throws(StorageError) -> Bool {
        let sequence = FixedSequence(row.sequence)
        return try withExtendedLifetime(sequence) { () throws(StorageError) in
            try unsafe row.key.withRawBytes { (key) throws(StorageError) in
                try unsafe row.id.withRawBytes { (id) throws(StorageError) in
                    try unsafe row.keyJSON.withRawBytes { (keyJSON) throws(StorageError) in
                        guard let value = row.valueJSON else {
                            return try body(
                                unsafe IndexRowView(
                                    emit: row.emit,
                                    key: key,
                                    id: id,
                                    keyJSON: keyJSON,
                                    valueJSON: nil,
                                    sequences: sequence
                                )
                            )
                        }
                        return try unsafe value.withRawBytes { (value) throws(StorageError) in
                            try body(
                                unsafe IndexRowView(
                                    emit: row.emit,
                                    key: key,
                                    id: id,
                                    keyJSON: keyJSON,
                                    valueJSON: value,
                                    sequences: sequence
                                )
                            )
                        }
                    }
                }
            }
        }
    }
}

/// The sequence of one row.
private final class FixedSequence: IndexSequenceSource {
    private let value: UInt64

    init(_ value: UInt64) { self.value = value }

    func sequence(of id: RawSpan) throws(StorageError) -> UInt64 { value }
}

extension [UInt8] {
    fileprivate func withRawBytes<R>(
        _ body: (UnsafeRawBufferPointer) throws(StorageError) -> R
    ) throws(StorageError) -> R {
        try unsafe span.bytes.withUnsafeBytes { (bytes) throws(StorageError) in try unsafe body(bytes) }
    }
}
