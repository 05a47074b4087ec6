public import SetteeDocumentValues
public import SetteeEngine
public import StorageProtocol

/// Makes queries from conditions and an order, and the view that answers them. The view is stored in the database as a
/// definition, and shared by all programs with the same conditions.
///
/// ```swift
/// let books = try QueryBuilder(
///     db,
///     where: QueryPlace("/type") == "book" && QueryPlace("/year") >= .parameter("from"),
///     orderBy: [.ascending("/year")]
/// )
/// for row in try books.query(["from": 1950]).run() { print(row.documentID?.string ?? "none") }
/// ```
///
/// Conditions with fixed values decide which documents are in the view. Those with parameters become ranges of its key
/// if possible, and are otherwise checked row by row: `explain` says which.
public struct QueryBuilder: Sendable {
    /// A JSON pointer that rows are ordered by.
    public struct Order: Sendable, Equatable {
        let place: QueryPlace
        let descending: Bool

        public static func ascending(_ pointer: String) -> Order {
            Order(place: QueryPlace(pointer), descending: false)
        }
        public static func descending(_ pointer: String) -> Order {
            Order(place: QueryPlace(pointer), descending: true)
        }

        public static func == (a: Order, b: Order) -> Bool { a.place == b.place && a.descending == b.descending }
    }

    private let database: Database
    private let plan: QueryPlan

    /// - Parameters:
    ///   - predicate: what must hold for a document; nil: all documents.
    ///   - order: all ascending or all descending. Empty: the order is not specified.
    ///   - value: the pointer to the value of the rows; nil: none.
    /// - Throws: `badParameter` (495) for what is not a JSON pointer, or an order in both directions.
    public init(
        _ database: Database,
        where predicate: QueryPredicate? = nil,
        orderBy order: [Order] = [],
        value: QueryPlace? = nil
    ) throws(StorageError) {
        self.database = database
        plan = try QueryPlan(predicate, orderBy: order, value: value)
    }

    /// Returns the query for values of the parameters. Defines the view if it does not exist yet.
    ///
    /// - Throws: `badParameter` (495) if a parameter has no value, or a value belongs to no parameter; `callback` (593)
    ///   inside `read` if the view is not defined yet; `inUse` (423), `full` (507).
    public func query(_ parameters: [String: JSONValue] = [:]) throws(StorageError) -> DatabaseQuery {
        let known = plan.parameters
        guard parameters.keys.allSatisfy({ given in known.contains { $0.utf8.elementsEqual(given.utf8) } }) else {
            throw StorageError(.badParameter, "The query has no such parameter. Its parameters: \(known.sorted()).")
        }
        let view = database.view(plan.viewName)
        var query = view.query()
        try plan.apply(parameters, to: &query)
        if database.isReadOnly {
            let function = try plan.definition.function()
            if try view.definition() == nil { try database.setViewFunction(function, for: view.viewName()) }
        } else if try view.definition() != plan.definition {
            try view.define(plan.definition)
        }
        return query
    }

    /// The name of the view.
    public var viewName: String { plan.viewName }

    /// Describes in a few lines how queries are answered.
    public func explain() -> String {
        var lines = ["view: \(plan.viewName)"]
        lines.append(
            "key: [\(plan.parts.map(\.pointer).joined(separator: ", "))]\(plan.descending ? ", descending" : "")"
        )
        if let value = plan.definition.value { lines.append("value: \(value)") }
        func add(_ title: String, _ conditions: [QueryPredicate.Condition]) {
            if !conditions.isEmpty {
                lines.append("\(title): \(conditions.map(\.description).joined(separator: " and "))")
            }
        }
        add("in the view", plan.fixed)
        add("range of the key", plan.equal + plan.bounding)
        add("checked row by row", plan.checked.map(\.condition))
        return lines.joined(separator: "\n")
    }
}
