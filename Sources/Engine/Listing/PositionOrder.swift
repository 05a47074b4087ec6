internal import StorageProtocol

/// Sees to it that what a store hands out moves forward: each place comes after the one before in the order that was
/// asked for, and within the range. In a store whose files are damaged it may not, and whoever goes on behind the last
/// place that was read would read for ever, or the same again.
struct PositionOrder: ~Copyable {
    private let range: ByteRange
    private let descending: Bool
    /// Of what the places are, for the error.
    private let what: StaticString
    private var last = LastPosition()
    private var isFirst = true

    init(_ range: ByteRange, descending: Bool, of what: StaticString) {
        self.range = range
        self.descending = descending
        self.what = what
    }

    /// - Throws: `corrupt` (591) where the place is not behind the last one.
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

    /// To be called when the listing has ended: what is in order lies within the range if its last place does.
    ///
    /// - Throws: `corrupt` (591) where places behind the end came.
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
