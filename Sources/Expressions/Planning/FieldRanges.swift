/// Where the value of one field can be, and whether the field can be missing.
package struct FieldRanges: Sendable, Equatable {
    package var ranges: KeyRanges
    package var mayBeMissing: Bool

    package init(ranges: KeyRanges, mayBeMissing: Bool) {
        self.ranges = ranges
        self.mayBeMissing = mayBeMissing
    }

    package static let everything = FieldRanges(ranges: .all, mayBeMissing: true)
    package static let nothing = FieldRanges(ranges: .none, mayBeMissing: false)

    static func union(of parts: [FieldRanges]) -> FieldRanges {
        FieldRanges(
            ranges: .union(of: parts.map(\.ranges)),
            mayBeMissing: parts.contains { $0.mayBeMissing }
        )
    }

    static func intersection(of parts: [FieldRanges]) -> FieldRanges {
        FieldRanges(
            ranges: .intersection(of: parts.map(\.ranges)),
            mayBeMissing: parts.allSatisfy { $0.mayBeMissing }
        )
    }

    func isSubset(of other: FieldRanges) -> Bool {
        (other.mayBeMissing || !mayBeMissing) && ranges.isSubset(of: other.ranges)
    }
}
