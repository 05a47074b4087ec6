public import SetteeDocumentValues
internal import SetteeEngine
internal import SetteeExpressions
internal import SetteeIndexes
public import StorageProtocol

/// What a query does to find its rows.
public struct FindExplanation: Sendable, CustomStringConvertible {
    /// The index that is read, or the indexes: those that are intersected, and those for the parts of an `$or`; empty:
    /// none.
    public let indexes: [String]
    /// Whether all documents are read.
    public let isFullScan: Bool
    /// Whether rows have to be sorted after they are found.
    public let isSorted: Bool
    /// Why each other index was not taken.
    public let otherIndexes: [(index: String, reason: String)]
    package let rejections: [FindRejection]
    /// Whether documents are read from the last to the first.
    package let isBackward: Bool
    private let access: JSONValue
    private let lines: [String]
    private let order: String
    private let checked: JSONValue

    init(_ plan: FindPlan, of query: FindQuery, outdated: [IndexName]) throws(StorageError) {
        indexes = plan.indexes.map(\.name)
        isFullScan = plan.isFullScan
        isSorted = plan.order != .served
        rejections = plan.rejected
        isBackward = plan.isBackward
        otherIndexes = plan.rejected.map { (index: $0.name, reason: $0.reason) }
        let shown = AccessText(plan.access, query.selector)
        access = shown.json
        checked = .object(query.condition)
        order =
            switch plan.order {
            case _ where query.sort.isEmpty: "none is asked for"
            case .served: plan.isReadBackward ? "as it is read, backwards" : "as it is read"
            case .grouped: "as it is read; documents that are equal in it are sorted"
            case .sorted: "the rows are sorted"
            }
        var lines = shown.lines
        for name in outdated { lines.append("first: the index '\(name.string)' is brought up to date") }
        lines.append("then checked: \(JSONValue.object(query.condition))")
        lines.append("order: \(order)")
        for other in plan.rejected { lines.append("not '\(other.name)': \(other.reason)") }
        if plan.isFullScan, !plan.hasUsableIndex, let advice = FindExplanation.advice(query.selector) {
            lines.append("would help: \(advice)")
        }
        self.lines = lines
    }

    /// The index that would serve a query that reads all documents.
    private static func advice(_ selector: MangoSelector) -> String? {
        var points: [String] = []
        var others: [String] = []
        for (path, found) in selector.rangesOfFields where !path.isDocumentID {
            if found.ranges.isAll || found.mayBeMissing { continue }
            if found.ranges.arePoints { points.append(path.text) } else { others.append(path.text) }
        }
        let fields = points.sorted() + others.sorted().prefix(1)
        return fields.isEmpty ? nil : "an index on \(fields.joined(separator: ", "))"
    }

    /// The explanation as text, a few lines.
    public var description: String { lines.joined(separator: "\n") }

    /// The explanation as JSON: `access` (where documents come from), `checked` (the selector that is checked for each
    /// of them), `order`, and `otherIndexes`.
    public var json: JSONObject {
        [
            "access": access, "checked": checked, "order": .string(order), "fullScan": .bool(isFullScan),
            "otherIndexes": .array(
                otherIndexes.map { .object(["index": .string($0.index), "reason": .string($0.reason)]) }
            ),
        ]
    }
}

extension FindPlan {
    /// Whether documents are read against the directions that the index is defined with.
    fileprivate var isReadBackward: Bool {
        if case .index(let index, _) = access { isBackward != index.isTurned } else { isBackward }
    }
}

/// An access as text and as JSON.
private struct AccessText {
    var lines: [String]
    var json: JSONValue

    init(_ access: FindPlan.Access, _ selector: MangoSelector) {
        switch access {
        case .nothing:
            lines = ["nothing can match"]
            json = ["kind": "nothing"]
        case .ids(let ids):
            lines = ["documents: \(ids.count) by their IDs"]
            json = ["kind": "ids", "count": .int(Int64(ids.count))]
        case .documents(let range):
            lines = [range == .all ? "documents: all" : "documents: those with IDs in a range"]
            json = ["kind": range == .all ? "allDocuments" : "idRange"]
        case .index(let index, let ranges):
            let bound = index.definition.fields.prefix(ranges.boundParts).map(\.field)
            let fields = index.definition.fields.map { ($0.descending ? "-" : "") + $0.field }
            lines = ["index: '\(index.name)' on \(fields.joined(separator: ", "))"]
            lines.append(
                bound.isEmpty
                    ? "range: all of it"
                    : "ranges: \(ranges.ranges.count), bounded by \(bound.joined(separator: ", "))"
            )
            json = [
                "kind": "index", "index": .string(index.name), "ranges": .int(Int64(ranges.ranges.count)),
                "boundedBy": .array(bound.map { .string($0) }),
            ]
        case .intersection(let parts):
            let texts = parts.map { AccessText(.index($0.index, $0.ranges), selector) }
            lines = ["documents that are in all of these:"] + texts.flatMap { $0.lines.map { "  " + $0 } }
            json = ["kind": "intersection", "parts": .array(texts.map(\.json))]
        case .union(let parts):
            let texts = parts.map { AccessText($0, selector) }
            lines = ["one after another, each document once:"] + texts.flatMap { $0.lines.map { "  " + $0 } }
            json = ["kind": "union", "parts": .array(texts.map(\.json))]
        }
    }
}

extension FindQuery {
    /// Describes what the query would do now: which index it reads, and which ranges of it, what is checked afterwards,
    /// and why each other index is not taken.
    ///
    /// - Throws: as `run`, except what reading documents throws.
    public func explain() throws(StorageError) -> FindExplanation {
        try checkOptions()
        let sort = try sortPaths()
        return try database.withReadTransaction { (transaction) throws(StorageError) in
            switch try choosePlan(sort, in: transaction, mayUpdate: true) {
            case .plan(let plan): try FindExplanation(plan, of: self, outdated: [])
            case .update(let names, first: let plan): try FindExplanation(plan, of: self, outdated: names)
            }
        }
    }
}
