internal import StorageProtocol

/// Checks that a store's listing moves forward: each position is after the one before in the requested order, and
/// within the range. In a damaged store this may fail, and a reader that continues after the last position would read
/// for ever, or the same rows again.
struct PositionOrder: ~Copyable {
    private let range: ByteRange
    private let descending: Bool
    /// What the positions belong to, for the error.
    private let what: StaticString
    private var last = LastPosition()
    private var isFirst = true

    init(_ range: ByteRange, descending: Bool, of what: StaticString) {
        self.range = range
        self.descending = descending
        self.what = what
    }

    /// - Throws: `corrupt` (591) if the position is not after the last one.
    mutating func advance(to place: RawSpan) throws(StorageError) {
        if isFirst {
            guard isBehindStart(place) else { throw .outOfOrder(what) }
            isFirst = false
        } else {
            let order = last.order(of: place)
            guard descending ? order < 0 : order > 0 else { throw .outOfOrder(what) }
        }
        last.take(place)
    }

    /// Must be called when the listing has ended: positions in order are within the range if the last one is.
    ///
    /// - Throws: `corrupt` (591) if there were positions beyond the end.
    consuming func end() throws(StorageError) {
        if !isFirst, !last.withBytes({ isBeforeEnd($0) }) { throw .outOfOrder(what) }
    }

    private func isBehindStart(_ place: RawSpan) -> Bool {
        descending ? place.isBelow(range.upper) : place.isAbove(range.lower)
    }

    private func isBeforeEnd(_ place: RawSpan) -> Bool {
        descending ? place.isAbove(range.lower) : place.isBelow(range.upper)
    }
}

extension RawSpan {
    fileprivate func isAbove(_ bound: ByteRange.Bound) -> Bool {
        switch bound {
        case .open: true
        case .including(let bytes): unsafe compareBytes(self, bytes.span.bytes) >= 0
        case .excluding(let bytes): unsafe compareBytes(self, bytes.span.bytes) > 0
        }
    }

    fileprivate func isBelow(_ bound: ByteRange.Bound) -> Bool {
        switch bound {
        case .open: true
        case .including(let bytes): unsafe compareBytes(self, bytes.span.bytes) <= 0
        case .excluding(let bytes): unsafe compareBytes(self, bytes.span.bytes) < 0
        }
    }
}

extension StorageError {
    static func outOfOrder(_ what: StaticString) -> StorageError {
        .corrupt("The store hands out \(what) out of their order, or twice")
    }
}
