internal import SetteeEngine
internal import StorageProtocol

/// A bound of a range of rows, compared with blocks. It is a class because it is read often and never changes.
final class RowLimit: Sendable {
    private let position: IndexPosition
    private let isIncluded: Bool

    /// Nil for an open bound.
    init?(_ bound: IndexRange.Bound) {
        switch bound {
        case .open: return nil
        case .including(let position):
            self.position = position
            isIncluded = true
        case .excluding(let position):
            self.position = position
            isIncluded = false
        }
    }

    /// Returns whether all rows of a block that ends at an edge, or in a descending walk begins there, are certain to
    /// be within this bound.
    func holds(blockTo edge: BlockEdge, descending: Bool) -> Bool {
        guard case .before(let place) = edge else { return false }
        let order = place.order(to: position)
        // In a descending walk the row at the edge is part of the block; in an ascending walk it comes after the block.
        if descending { return isIncluded ? order >= 0 : order > 0 }
        if order != 0 || isIncluded { return order <= 0 }
        return position.documentID != nil && position.emit != nil
    }
}
