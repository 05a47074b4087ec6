internal import SetteeDocumentValues
internal import SetteeEngine
internal import StorageProtocol

/// Which rows are reduced to one value.
enum ReductionGrouping: Sendable, Equatable {
    /// All of them.
    case none
    /// At level 1: arrays with the same first element, whose group is an array of that element; other keys that are
    /// equal. At level n from 2: arrays with the same first n elements, or equal ones that have fewer; other keys are
    /// left out.
    case level(Int)
    /// Those with equal keys.
    case exact
}

/// A group of rows and what they are reduced to.
struct ReducedGroup: Sendable {
    /// The key as canonical JSON: of the first row, cut to the group's level. Nil: there is one group for all.
    var keyJSON: [UInt8]?
    var value: JSONValue
    var rowCount: UInt64
    /// Where the group ends in the direction of the walk, whatever the range.
    var end: IndexRange.Bound
}

/// The groups of a range of rows, in their order.
struct GroupWalk: Sendable {
    let tree: ReductionTree
    let grouping: ReductionGrouping
    let range: IndexRange
    let descending: Bool

    /// Hands the groups to `body` until it returns false. It is called while rows are read: it may read through the
    /// transaction, but not end it.
    ///
    /// - Throws: `notFound` (404) where there is no such index, and what the reduction or `body` throws.
    /// - Complexity: O(groups · log(rows)) where the summaries are stored, and never more than O(rows).
    func forEach(in transaction: any IndexReader, _ body: (ReducedGroup) throws -> Bool) throws {
        let parts = grouping.leavesOutOthers ? GroupWalk.arrays(in: range, descending: descending) : [range]
        let isStored = try tree.isStored(in: transaction)
        var goesOn = true
        for part in parts where goesOn {
            var pass = GroupPass(walk: self, range: part, usesSummaries: isStored, transaction: transaction)
            try pass.forEach { group in
                goesOn = try body(group)
                return goesOn
            }
        }
    }

    /// The parts of a range where keys are arrays: the two orders have them at different places, and an index has one
    /// order.
    private static func arrays(in range: IndexRange, descending: Bool) -> [IndexRange] {
        let all = CollationKey.arrays.compactMap { range.within(from: $0.lower, to: $0.upper) }
        return descending ? all.reversed() : all
    }
}

extension ReductionGrouping {
    fileprivate var leavesOutOthers: Bool {
        if case .level(let level) = self { level > 1 } else { false }
    }
}

extension IndexRange {
    /// The part whose keys are at or above `from` and below `to`, nil where there is none.
    fileprivate func within(from: [UInt8], to: [UInt8]) -> IndexRange? {
        var part = self
        switch lower {
        case .open: part.lower = .including(IndexPosition(key: from))
        case .including(let position), .excluding(let position):
            if compareBytes(position.key, to) >= 0 { return nil }
            if compareBytes(position.key, from) < 0 { part.lower = .including(IndexPosition(key: from)) }
        }
        switch upper {
        case .open: part.upper = .excluding(IndexPosition(key: to))
        case .including(let position), .excluding(let position):
            if compareBytes(position.key, from) < 0 { return nil }
            if compareBytes(position.key, to) >= 0 { part.upper = .excluding(IndexPosition(key: to)) }
        }
        return part
    }
}
