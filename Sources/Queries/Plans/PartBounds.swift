internal import SetteeDocumentValues
internal import SetteeExpressions
internal import StorageProtocol

/// The keys that one part of an index may have for the documents of a query: disjoint, ascending intervals of bytes, as
/// they are in the index.
struct PartBounds {
    /// All keys that begin with a byte string from `lower` to below `upper`; nil: no upper end.
    struct Interval {
        var lower: [UInt8]
        var upper: [UInt8]?
        /// Whether it has only one key, which is `lower`.
        var isPoint: Bool
    }

    private(set) var intervals: [Interval] = []

    var arePoints: Bool { intervals.allSatisfy(\.isPoint) }

    init(_ ranges: KeyRanges, mayBeMissing: Bool, isComplemented: Bool) {
        if mayBeMissing {
            intervals.append(PartBounds.point([isComplemented ? ~PartKey.missing : PartKey.missing]))
        }
        for range in ranges.ranges { intervals.append(PartBounds.interval(range.lower, range.upper, isComplemented)) }
        if isComplemented { intervals.reverse() }
    }

    private static func point(_ key: [UInt8]) -> Interval {
        Interval(lower: key, upper: CollationKey.end(ofPrefix: key), isPoint: true)
    }

    private static func interval(
        _ low: KeyRanges.Bound,
        _ high: KeyRanges.Bound,
        _ isComplemented: Bool
    ) -> Interval {
        func bytes(_ key: [UInt8]) -> [UInt8] { isComplemented ? key.map { ~$0 } : key }
        if let key = KeyRanges.point(low, high) { return point(bytes(key)) }
        let (first, last) = isComplemented ? (high, low) : (low, high)
        let lowest: [UInt8] = isComplemented ? [~0xFE] : [PartKey.firstValue]
        let highest: [UInt8] = isComplemented ? [~PartKey.missing] : [PartKey.beyond]
        let lower: [UInt8] =
            switch first {
            case .open: lowest
            case .including(let key): bytes(key)
            case .excluding(let key): CollationKey.end(ofPrefix: bytes(key)) ?? highest
            }
        let upper: [UInt8]? =
            switch last {
            case .open: highest
            case .including(let key): CollationKey.end(ofPrefix: bytes(key))
            case .excluding(let key): bytes(key)
            }
        return Interval(lower: lower, upper: upper, isPoint: false)
    }
}

extension KeyRanges {
    /// The only key of a range; nil if it has others. A range from and to the beginning of keys has many.
    static func point(_ lower: Bound, _ upper: Bound) -> [UInt8]? {
        guard case .including(let key) = lower, case .including(key) = upper,
            unsafe CollationKey.isWellFormed(key.span.bytes)
        else { return nil }
        return key
    }
}
