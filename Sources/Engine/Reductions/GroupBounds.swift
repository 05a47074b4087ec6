internal import StorageProtocol

/// The rows of one group, told by their keys.
struct GroupBounds {
    /// What the keys of the group begin with, and no others.
    let prefix: [UInt8]
    let keyJSON: [UInt8]?
    /// All rows of the group, and no others; whatever its range.
    let range: IndexRange

    /// The group that a row belongs to.
    init(of row: borrowing IndexRowView, _ grouping: ReductionGrouping) {
        var key: [UInt8] = []
        var level = 0
        switch grouping {
        case .none:
            prefix = []
            keyJSON = nil
            range = .all
            return
        case .exact: key = row.withKey { GroupBounds.copy($0) }
        case .level(let wanted):
            level = wanted
            key = row.withKey { GroupBounds.copy($0) }
        }
        let bytes = unsafe key.span.bytes
        // An array with fewer elements is a group of equal keys.
        guard level > 0, let length = CollationKey.prefixLength(of: bytes, elements: level),
            let shorter = CollationKey.prefixLength(of: bytes, elements: level - 1), shorter < length
        else {
            prefix = key
            keyJSON = row.withKeyJSON { GroupBounds.copy($0) }
            let position = IndexPosition(key: key)
            range = IndexRange(lower: .including(position), upper: .including(position))
            return
        }
        prefix = Array(key[..<length])
        keyJSON = row.withKeyJSON { json in
            guard let elements = JSONScanner.range(ofElements: level, in: json) else { return GroupBounds.copy(json) }
            return [UInt8(ascii: "[")] + GroupBounds.copy(json.extracting(elements)) + [UInt8(ascii: "]")]
        }
        let upper = CollationKey.end(ofPrefix: prefix).map { IndexRange.Bound.excluding(IndexPosition(key: $0)) }
        range = IndexRange(lower: .including(IndexPosition(key: prefix)), upper: upper ?? .open)
    }

    func contains(_ row: borrowing IndexRowView) -> Bool {
        let count = prefix.count
        if count == 0 { return true }
        return row.withKey { key in
            guard key.byteCount >= count else { return false }
            return unsafe compareBytes(key.extracting(first: count), prefix.span.bytes) == 0
        }
    }

    private static func copy(_ bytes: RawSpan) -> [UInt8] { unsafe bytes.withUnsafeBytes { unsafe Array($0) } }
}

extension IndexRange {
    /// Whether all rows of a block that ends at `end` are within the upper bound.
    func holds(blockUpTo end: BlockEdge) -> Bool {
        switch (upper, end) {
        case (.open, _): true
        case (_, .start): true
        case (_, .end): false
        case (.including(let position), .before(let place)): place.order(to: position) <= 0
        case (.excluding(let position), .before(let place)): place.isUpTo(position)
        }
    }

    /// Whether all rows of a block that begins at `start` are within the lower bound.
    func holds(blockFrom start: BlockEdge) -> Bool {
        switch (lower, start) {
        case (.open, _): true
        case (_, .end): true
        case (_, .start): false
        case (.including(let position), .before(let place)): place.order(to: position) >= 0
        case (.excluding(let position), .before(let place)): place.order(to: position) > 0
        }
    }
}

extension RowPlace {
    /// Whether every row before this place is before all rows that `position` stands for, as far as that can be told.
    fileprivate func isUpTo(_ position: IndexPosition) -> Bool {
        let order = order(to: position)
        return order < 0 || order == 0 && position.documentID != nil && position.emit != nil
    }
}
