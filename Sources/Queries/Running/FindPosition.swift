internal import SetteeEngine
internal import StorageProtocol

/// Where a page of a query ends, so that the next one can begin behind it.
package struct FindPosition: Sendable, Equatable {
    /// The key of the last row: of the index that the rows are read from, or that they are sorted by. Empty where
    /// documents are read in the order of their IDs.
    package var key: [UInt8]
    /// The ID of the last row's document, as UTF-8.
    package var id: [UInt8]

    package init(key: [UInt8], id: [UInt8]) {
        self.key = key
        self.id = id
    }
}

extension IndexRange {
    /// Returns what is left of the range behind a position; nil: nothing.
    func left(behind position: IndexPosition, backward: Bool) -> IndexRange? {
        let place = RowPosition(key: position.key, id: position.documentID ?? [], emit: 0)
        if backward {
            guard place.isAbove(lower) else { return nil }
            return place.isBelow(upper) ? IndexRange(lower: lower, upper: .excluding(position)) : self
        }
        guard place.isBelow(upper) else { return nil }
        return place.isAbove(lower) ? IndexRange(lower: .excluding(position), upper: upper) : self
    }
}
