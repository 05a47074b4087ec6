extension KeyRanges {
    /// The keys that are in both.
    package func intersection(_ other: KeyRanges) -> KeyRanges { KeyRanges.intersection(of: [self, other]) }

    /// The keys that are in one of the two.
    package func union(_ other: KeyRanges) -> KeyRanges { KeyRanges.union(of: [self, other]) }

    /// Whether all keys of this one are in the other.
    ///
    /// - Complexity: O(m log n), where m and n are the numbers of ranges, m the smaller one.
    package func isSubset(of other: KeyRanges) -> Bool {
        if intervals.count > other.intervals.count {
            return other.complement.intervals.allSatisfy { gap in
                let index = index { gap.lower < $0.upper }
                return index == intervals.count || gap.upper <= intervals[index].lower
            }
        }
        return intervals.allSatisfy { interval in
            let index = other.index { interval.upper <= $0.upper }
            return index < other.intervals.count && other.intervals[index].lower <= interval.lower
        }
    }

    /// Returns the index of the first range of which something is true that is true of all behind it, too.
    func index(where isFound: (Interval) -> Bool) -> Int {
        var low = 0
        var high = intervals.count
        while low < high {
            let middle = (low + high) / 2
            if isFound(intervals[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }

    /// The keys that are not in it.
    var complement: KeyRanges {
        var gaps: [Interval] = []
        var start = KeyCut.first
        for interval in intervals {
            if start < interval.lower { gaps.append(Interval(lower: start, upper: interval.lower)) }
            start = interval.upper
        }
        if start < .last { gaps.append(Interval(lower: start, upper: .last)) }
        return KeyRanges(intervals: gaps)
    }

    /// - Complexity: O(n log n), where n is the number of all ranges.
    static func union(of parts: [KeyRanges]) -> KeyRanges {
        if parts.count == 1 { return parts[0] }
        return KeyRanges(unitingIntervals: parts.flatMap(\.intervals))
    }

    /// All keys, if there are no parts.
    ///
    /// - Complexity: O(n log n), where n is the number of all ranges.
    static func intersection(of parts: [KeyRanges]) -> KeyRanges {
        if parts.count == 1 { return parts[0] }
        return union(of: parts.map(\.complement)).complement
    }

    /// The union of intervals in any order.
    init(unitingIntervals intervals: [Interval]) {
        var united: [Interval] = []
        for interval in intervals.sorted(by: { $0.lower < $1.lower }) {
            if let last = united.last, interval.lower <= last.upper {
                if last.upper < interval.upper { united[united.count - 1].upper = interval.upper }
            } else {
                united.append(interval)
            }
        }
        self.init(intervals: united)
    }
}
