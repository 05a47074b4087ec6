internal import SetteeDocumentValues
internal import SetteeEngine
internal import StorageProtocol

/// Recognizes the rows of one group by their keys. It is a class because it is used for every row.
final class GroupBounds: Sendable {
    /// As canonical JSON; nil if all rows are one group.
    let keyJSON: [UInt8]?
    /// The end of the group in the direction of the walk.
    let end: IndexRange.Bound
    let limit: RowLimit?
    /// A prefix that exactly the keys of this group have.
    private let prefix: [UInt8]

    /// Makes the bounds of the group that a row belongs to.
    init(of row: borrowing IndexRowView, _ grouping: ReductionGrouping, descending: Bool) {
        var level = 0
        switch grouping {
        case .none:
            prefix = []
            keyJSON = nil
            end = .open
            limit = nil
            return
        case .exact: break
        case .level(let wanted, _): level = wanted
        }
        // An array with fewer elements forms a group of equal keys.
        let length = level > 0 ? row.withKey { GroupBounds.length(of: $0, elements: level) } : nil
        guard let length else {
            prefix = row.withKey { GroupBounds.copy($0) }
            keyJSON = row.withKeyJSON { GroupBounds.copy($0) }
            end = .including(IndexPosition(key: prefix))
            limit = RowLimit(end)
            return
        }
        prefix = row.withKey { Array(GroupBounds.copy($0)[..<length]) }
        keyJSON = row.withKeyJSON { json in
            guard let elements = JSONScanner.range(ofElements: level, in: json) else { return GroupBounds.copy(json) }
            return [UInt8(ascii: "[")] + GroupBounds.copy(json.extracting(elements)) + [UInt8(ascii: "]")]
        }
        if descending {
            end = .including(IndexPosition(key: prefix))
        } else {
            // The prefix has an end, because it begins with the tag of arrays, which is not FF.
            end = CollationKey.end(ofPrefix: prefix).map { .excluding(IndexPosition(key: $0)) } ?? .open
        }
        limit = RowLimit(end)
    }

    func contains(_ row: borrowing IndexRowView) -> Bool {
        let prefix = prefix
        let count = prefix.count
        if count == 0 { return true }
        return row.withKey { key in
            guard key.byteCount >= count else { return false }
            return unsafe compareBytes(key.extracting(first: count), prefix.span.bytes) == 0
        }
    }

    /// Returns the length of an array's key up to the end of an element; nil if it has fewer elements.
    private static func length(of key: RawSpan, elements count: Int) -> Int? {
        guard let length = CollationKey.prefixLength(of: key, elements: count),
            let shorter = CollationKey.prefixLength(of: key, elements: count - 1), shorter < length
        else { return nil }
        return length
    }

    private static func copy(_ bytes: RawSpan) -> [UInt8] { unsafe bytes.withUnsafeBytes { unsafe Array($0) } }
}
