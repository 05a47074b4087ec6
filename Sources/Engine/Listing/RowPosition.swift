package import StorageProtocol

/// The position of a row in an index: key, document ID and emit number.
package struct RowPosition: Sendable, Comparable, Hashable {
    package var key: [UInt8]
    package var id: [UInt8]
    package var emit: UInt32

    package init(key: [UInt8], id: [UInt8], emit: UInt32) {
        self.key = key
        self.id = id
        self.emit = emit
    }

    package init(_ row: borrowing IndexRowView) {
        key = row.withKey { key in unsafe key.withUnsafeBytes { unsafe Array($0) } }
        id = row.withID { id in unsafe id.withUnsafeBytes { unsafe Array($0) } }
        emit = row.emit
    }

    package static func < (a: RowPosition, b: RowPosition) -> Bool {
        if a.key != b.key { return a.key.lexicographicallyPrecedes(b.key) }
        if a.id != b.id { return a.id.lexicographicallyPrecedes(b.id) }
        return a.emit < b.emit
    }

    package var position: IndexPosition { IndexPosition(key: key, documentID: id, emit: emit) }

    /// Whether the row is within a range.
    package func lies(in range: IndexRange) -> Bool { isAbove(range.lower) && isBelow(range.upper) }

    /// Whether the row is after the lower end of a range.
    package func isAbove(_ bound: IndexRange.Bound) -> Bool {
        switch bound {
        case .open: true
        case .including(let position): compare(position) >= 0
        case .excluding(let position): compare(position) > 0
        }
    }

    /// Whether the row is before the upper end of a range.
    package func isBelow(_ bound: IndexRange.Bound) -> Bool {
        switch bound {
        case .open: true
        case .including(let position): compare(position) <= 0
        case .excluding(let position): compare(position) < 0
        }
    }

    /// Negative, 0 or positive if the row is before, at or after a position, which may include many rows.
    private func compare(_ position: IndexPosition) -> Int {
        if key != position.key { return key.lexicographicallyPrecedes(position.key) ? -1 : 1 }
        guard let documentID = position.documentID else { return 0 }
        if id != documentID { return id.lexicographicallyPrecedes(documentID) ? -1 : 1 }
        guard let number = position.emit, emit != number else { return 0 }
        return emit < number ? -1 : 1
    }
}
