public import SetteeDocumentValues
public import SetteeEngine
package import SetteeExpressions
public import StorageProtocol

/// A question about the content of documents: a value that can be changed and run any number of times.
///
/// ```swift
/// let rows = try db.find(["type": "invoice", "total": ["$gte": 100]], sort: [.descending("total")], limit: 10).run()
/// for row in rows { print(row.documentID, row["total"] ?? .null) }
/// ```
///
/// An index that helps is used (`Database.createIndex`); without one, all documents are read. The rows are the same
/// either way, in the same order. `explain()` says what a query does.
///
/// Deleted documents, design documents and local documents are never found.
public struct FindQuery: Sendable {
    /// The database that is asked.
    public let database: Database
    /// What must hold for a document, as a selector.
    public var condition: JSONObject { question.condition }
    let question: FindQuestion
    var selector: MangoSelector { question.selector }
    /// The members that rows have, as paths like those of selectors; nil: whole documents.
    public var fields: [String]?
    /// The order of the rows. Documents that lack a field come first, or last where it descends. Documents that are
    /// equal in all fields are ordered by their IDs, in the direction of the last field. Empty: no order is promised.
    public var sort: [FindOrder]
    /// The highest number of rows; nil: all.
    public var limit: Int?
    /// How many rows are left out at the start.
    public var skip: Int
    /// The name of the only index that may be used; nil: any. If it cannot answer the query, another way is taken.
    public var useIndex: String?
    /// Whether to read all documents if no index helps. If not, the query fails with `badParameter` (495), and says
    /// which index it would need.
    public var allowsFullScan = true
    /// For callers that ask page by page.
    package var hints = FindHints()
    /// The plan to take, as an index of `FindPlanner.allCandidates`. For tests that compare plans.
    package var forced: Int?

    init(
        _ database: Database,
        _ condition: JSONObject,
        _ compiled: MangoSelector,
        fields: [String]?,
        sort: [FindOrder],
        limit: Int?,
        skip: Int
    ) {
        self.database = database
        question = FindQuestion(condition, compiled)
        self.fields = fields
        self.sort = sort
        self.limit = limit
        self.skip = skip
    }

    var kept: KeptPlans { question.kept }

    /// - Throws: `badParameter` (495) for numbers below 0; `badRequest` (400) for a path in `fields` that is refused.
    func checkOptions() throws(StorageError) {
        if let fields { _ = try FieldProjection(fields) }
        guard skip >= 0, (limit ?? 0) >= 0 else {
            throw StorageError(.badParameter, "`skip` and `limit` must not be negative.")
        }
    }
}

extension Database {
    /// Makes a query from a selector, CouchDB's query language (docs/reference/selectors.md). Nothing is read yet.
    ///
    /// ```swift
    /// let type = "invoice"
    /// let open = try db.find(["type": type, "paid": ["$exists": false]], fields: ["_id", "total"])
    /// print(try open.count())
    /// ```
    ///
    /// - Parameters:
    ///   - selector: what must hold for a document; `[:]` holds for all.
    ///   - fields: the members that rows have; nil: whole documents.
    ///   - sort: the order of the rows; empty: no order is promised.
    ///   - limit: the highest number of rows; nil: all.
    ///   - skip: how many rows are left out at the start.
    /// - Throws: `badRequest` (400) for a selector or a path that is refused. The text names the operator or the field.
    public func find(
        _ selector: JSONObject,
        fields: [String]? = nil,
        sort: [FindOrder] = [],
        limit: Int? = nil,
        skip: Int = 0
    ) throws(StorageError) -> FindQuery {
        let compiled = try MangoSelector(.object(selector))
        return FindQuery(self, selector, compiled, fields: fields, sort: sort, limit: limit, skip: skip)
    }

    /// Makes a query from a selector that is compiled already.
    package func find(
        _ selector: JSONObject,
        compiled: MangoSelector,
        _ sort: [FindOrder],
        limit: Int,
        skip: Int
    ) -> FindQuery {
        FindQuery(self, selector, compiled, fields: nil, sort: sort, limit: limit, skip: skip)
    }

    /// Makes a query from a condition that is written in Swift. Nothing is read yet.
    ///
    /// ```swift
    /// let type = "invoice", least = 100
    /// let large = try db.find(field("type") == type && field("total") >= least, sort: [.descending("total")])
    /// if let row = try large.first() { print(row.documentID) }
    /// ```
    ///
    /// - Throws: `badRequest` (400) for a path that is empty or too long, a pattern that ICU refuses, and more than
    ///   10,000 conditions.
    public func find(
        _ condition: FieldCondition,
        fields: [String]? = nil,
        sort: [FindOrder] = [],
        limit: Int? = nil,
        skip: Int = 0
    ) throws(StorageError) -> FindQuery {
        try find(condition.selector, fields: fields, sort: sort, limit: limit, skip: skip)
    }
}
