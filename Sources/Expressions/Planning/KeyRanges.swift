internal import SetteeDocumentValues
internal import StorageProtocol

/// Where the value of one field can be, as ranges of its collation key. A field that is missing is in no range.
///
/// Which order the keys have, `FieldPath.comparesRaw` says. Sets of different orders must not be combined.
package struct KeyRanges: Sendable, Equatable {
    /// The end of a range.
    package enum Bound: Sendable, Hashable {
        case open
        /// The range contains this key, and all byte strings that begin with it: the bound of a type or of a prefix is
        /// the beginning of keys. No key is the beginning of another one.
        case including([UInt8])
        /// The range ends before, or begins behind, this key and all byte strings that begin with it.
        case excluding([UInt8])
    }

    /// One range: never empty.
    struct Interval: Sendable, Equatable {
        var lower: KeyCut
        var upper: KeyCut
    }

    /// Sorted, with gaps between them.
    let intervals: [Interval]

    package static let none = KeyRanges(intervals: [])
    package static let all = KeyRanges(intervals: [Interval(lower: .first, upper: .last)])

    package var isEmpty: Bool { intervals.isEmpty }
    package var isAll: Bool { self == .all }

    /// The ranges from the lowest to the highest key. They are disjoint, and do not touch.
    package var ranges: [(lower: Bound, upper: Bound)] {
        intervals.map { interval in
            let lower = interval.lower
            let upper = interval.upper
            return (
                lower == .first ? .open : lower.isBehind ? .excluding(lower.key) : .including(lower.key),
                upper == .last ? .open : upper.isBehind ? .including(upper.key) : .excluding(upper.key)
            )
        }
    }

    /// The same ranges as bytes, from the lower bound to below the upper one; nil: to the end. They hold for keys that
    /// others follow, as in a compound index: what begins with a key of the range lies in it.
    package var bytes: [(lower: [UInt8], upper: [UInt8]?)] {
        intervals.map { ($0.lower.position ?? [], $0.upper.position) }
    }

    /// One range around all of them, if they are more than `most`.
    package func joined(beyond most: Int) -> KeyRanges {
        guard intervals.count > most, let first = intervals.first, let last = intervals.last else { return self }
        return KeyRanges(from: first.lower, to: last.upper)
    }

    /// Whether only one key lies in the ranges, as where a field is compared for equality.
    package var isPoint: Bool { intervals.count == 1 && intervals[0].isPoint }

    /// Whether each range contains one key.
    package var arePoints: Bool { intervals.allSatisfy(\.isPoint) }

    /// Whether a key lies in the ranges.
    ///
    /// - Complexity: O(log of the number of ranges).
    package func contains(_ key: [UInt8]) -> Bool {
        let index = index { interval in interval.upper.position.map { compareBytes(key, $0) < 0 } ?? true }
        return index < intervals.count && compareBytes(intervals[index].lower.position ?? [], key) <= 0
    }

    init(intervals: [Interval]) { self.intervals = intervals }

    /// The range from one cut to another; none if nothing is between them.
    init(from lower: KeyCut, to upper: KeyCut) {
        intervals = lower < upper ? [Interval(lower: lower, upper: upper)] : []
    }

    /// The keys that begin with these bytes, or the one key that they are.
    init(beginning: [UInt8]) { self.init(from: .before(beginning), to: .behind(beginning)) }

    init(keys: some Sequence<[UInt8]>) {
        self.init(unitingIntervals: keys.map { Interval(lower: .before($0), upper: .behind($0)) })
    }
}

extension KeyRanges.Interval {
    var isPoint: Bool {
        guard upper.isBehind, upper != .last, lower == .before(upper.key) else { return false }
        return unsafe CollationKey.isWellFormed(upper.key.span.bytes)
    }
}
