internal import SetteeDocumentValues
internal import SetteeEngine
internal import StorageProtocol

/// Which rows are reduced to one value.
enum ReductionGrouping: Sendable, Equatable {
    /// All rows.
    case none
    /// At level 1: arrays with the same first element, in a group whose key is an array of that element; and other keys
    /// that are equal. At level n from 2 on: arrays with the same first n elements, and equal arrays with fewer
    /// elements; other keys are left out, or in groups of equal ones.
    case level(Int, groupsOthers: Bool = false)
    /// Rows with equal keys.
    case exact
}

/// A group of rows and their reduction.
struct ReducedGroup: Sendable {
    /// The key as canonical JSON: that of the first row, cut to the group's level. Nil: all rows are one group.
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
    /// Whether a sum that cannot be made is an error in the place of the group's value.
    var keepsFaults = false

    /// Passes the groups to `body` until it returns false. `body` is called while rows are read: it may read through
    /// the transaction, but must not end it.
    ///
    /// - Throws: `notFound` (404) if there is no such index, and what the reduction or `body` throws.
    /// - Complexity: O(groups · log(rows)) if the summaries are stored, and never more than O(rows).
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

    /// Returns the parts of a range where keys are arrays. The two collations place arrays differently; an index has
    /// only one of them.
    private static func arrays(in range: IndexRange, descending: Bool) -> [IndexRange] {
        let all = CollationKey.arrays.compactMap { range.within(from: $0.lower, to: $0.upper) }
        return descending ? all.reversed() : all
    }
}

extension ReductionGrouping {
    /// Whether rows whose keys are no arrays belong to no group.
    var leavesOutOthers: Bool {
        if case .level(let level, let groupsOthers) = self { level > 1 && !groupsOthers } else { false }
    }
}

extension IndexRange {
    /// Returns the part whose keys are at or above `from` and below `to`; nil if there is none.
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
