internal import SetteeEngine
internal import SetteeExpressions
internal import StorageProtocol

/// How the rows of a query are found: where documents come from that may match, and in what order. Whether they do
/// match is checked for each of them.
struct FindPlan: Sendable {
    /// Where documents come from.
    enum Access: Sendable {
        /// The documents with IDs in a range, in the order of the IDs.
        case documents(ByteRange)
        /// Some documents, in the order of their IDs.
        case ids([DocumentID])
        case index(ValueIndex, IndexRanges)
        /// Those of several, each once, in the order of their IDs.
        indirect case union([Access])
        /// Those that all of some indexes have, in the order of their IDs. The index with the fewest rows is the first.
        case intersection([IntersectedIndex])
        /// Nothing can match.
        case nothing
    }

    /// The order in which rows come, compared with the order that the query asks for.
    enum Order: Sendable {
        /// It is the same, or none is asked for.
        case served
        /// The first fields are the same. Documents that are equal in those come in another order.
        case grouped
        /// All rows have to be sorted.
        case sorted
    }

    var access: Access
    var order: Order
    /// Whether the documents are read from the last to the first.
    var isBackward: Bool
    /// All rows in the ranges of the index, in the order of its keys, if they are few. Only in the snapshot for which
    /// the plan was made.
    var rows: [FindPosition]?
    /// The index that is read, if it has seen everything. Only in that snapshot, too.
    var current: CurrentIndex?
    /// Why other indexes were not chosen.
    var rejected: [FindRejection] = []
    /// Whether an index could be read, even if none is.
    var hasUsableIndex = false

    /// The same plan without what is known of one snapshot only.
    var forOtherSnapshots: FindPlan {
        var plan = self
        plan.rows = nil
        plan.current = nil
        return plan
    }

    /// Whether all documents are read.
    var isFullScan: Bool {
        switch access {
        case .documents(let range): range == .all
        case .union(let parts): parts.contains { FindPlan(access: $0, order: order, isBackward: false).isFullScan }
        default: false
        }
    }

    /// Whether an index is read for the whole query, not only for a part of an `$or`.
    func isRead(_ index: ValueIndex) -> Bool {
        if case .union = access { return false }
        return indexes.contains { $0.name.utf8.elementsEqual(index.name.utf8) }
    }

    /// The indexes that are read.
    var indexes: [ValueIndex] {
        switch access {
        case .index(let index, _): [index]
        case .intersection(let parts): parts.map(\.index)
        case .union(let parts): parts.flatMap { FindPlan(access: $0, order: order, isBackward: false).indexes }
        default: []
        }
    }
}
