internal import Crypto
internal import SetteeDocumentValues
internal import SetteeEngine
internal import StorageProtocol

/// How the conditions and the order of a `QueryBuilder` become a view and ranges of its key.
struct QueryPlan: Sendable {
    let definition: ViewDefinition
    let viewName: String
    /// Conditions with `==` on the first parts of the key.
    private(set) var equal: [QueryPredicate.Condition] = []
    /// Conditions on the part of the key after those. They bound the range.
    private(set) var bounding: [QueryPredicate.Condition] = []
    /// Conditions on parts of the key, each with the index of its part. All of them are checked for each row: a value
    /// inside a range may have another type, or may differ from the operand although both sort as equal.
    private(set) var checked: [(part: Int, condition: QueryPredicate.Condition)] = []
    let descending: Bool
    /// The places that make up the key.
    let parts: [QueryPlace]
    /// The conditions that are part of the view.
    let fixed: [QueryPredicate.Condition]

    init(
        _ predicate: QueryPredicate?,
        orderBy order: [QueryBuilder.Order],
        value: QueryPlace?
    ) throws(StorageError) {
        let conditions = predicate?.conditions ?? []
        guard Set(order.map(\.descending)).count <= 1 else {
            throw StorageError(.badParameter, "All places of the order must be ascending, or all descending.")
        }
        descending = order.first?.descending ?? false
        var fixed: [QueryPredicate.Condition] = []
        var open: [QueryPredicate.Condition] = []
        for condition in conditions {
            if case .value = condition.operand, condition.comparison != .begins {
                fixed.append(condition)
            } else {
                open.append(condition)
            }
        }
        self.fixed = fixed
        let equal = open.filter { $0.comparison == .equal }
        self.equal = equal
        let ranged = open.filter(\.comparison.isRange)
        // If the range were not on the first place of the order, the rows would be out of order.
        let place = order.first.map { first in ranged.first { $0.place == first.place }?.place } ?? ranged.first?.place
        let bounding = ranged.filter { condition in place.map { $0 == condition.place } ?? false }
        self.bounding = bounding

        var parts = equal.map(\.place)
        if let place { parts.append(place) }
        for wanted in order where !parts.contains(wanted.place) { parts.append(wanted.place) }
        let rest = open.filter { condition in
            condition.comparison == .unequal || condition.comparison.isRange && !bounding.contains(condition)
        }
        for condition in rest where !parts.contains(condition.place) { parts.append(condition.place) }
        // If the key had only this part, a document without it would have no row.
        if parts.isEmpty || parts.count == 1 && equal.isEmpty && bounding.isEmpty { parts.append(QueryPlace("/_id")) }
        let allParts = parts
        self.parts = allParts
        checked = (equal + bounding + rest).compactMap { condition in
            allParts.firstIndex(of: condition.place).map { ($0, condition) }
        }

        var definition = ViewDefinition(keys: [])
        for part in parts { definition.keys.append(try JSONPointer(part.pointer)) }
        if let value { definition.value = try JSONPointer(value.pointer) }
        // An array key has null for a missing part, for which no condition holds.
        for condition in checked where parts.count > 1 {
            let place = try JSONPointer(condition.condition.place.pointer)
            if !definition.requiredPlaces.contains(place) { definition.requiredPlaces.append(place) }
        }
        for condition in fixed {
            guard case .value(let literal) = condition.operand,
                let comparison = ViewDefinition.Condition.Comparison(rawValue: condition.comparison.rawValue)
            else { continue }
            definition.conditions.append(.init(try JSONPointer(condition.place.pointer), comparison, literal))
        }
        self.definition = definition
        let digest = SHA256.hash(data: Array(definition.json.description.utf8)).prefix(8)
        viewName = "builder/" + digest.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }

    /// The names of the parameters that a query must give.
    var parameters: Set<String> {
        Set(
            checked.compactMap { _, condition in
                if case .parameter(let name) = condition.operand { name } else { nil }
            }
        )
    }

    /// Sets the bounds and the filter of a query of the view.
    func apply(_ values: [String: JSONValue], to query: inout DatabaseQuery) throws(StorageError) {
        var leading: [JSONValue] = []
        for condition in equal { leading.append(try operand(condition, values)) }
        var low: JSONValue?
        var high: JSONValue?
        var begins = false
        var checks: [PartCheck] = []
        for (part, condition) in checked {
            let value = try operand(condition, values)
            checks.append(try PartCheck(part: part, of: parts.count, condition.comparison, value))
        }
        for condition in bounding {
            let value = try operand(condition, values)
            switch condition.comparison {
            case .greater, .atLeast: low = low ?? value
            case .less, .atMost: high = high ?? value
            case .begins where low == nil && high == nil && !begins:
                low = value
                high = value
                begins = true
            default: break
            }
        }
        let isArray = parts.count > 1
        func key(_ last: JSONValue?) -> JSONValue? {
            if isArray { return .array(leading + (last.map { [$0] } ?? [])) }
            if let first = leading.first { return first }
            guard let last else { return nil }
            return last
        }
        let (start, end) = (key(low), key(high))
        query.startKey = descending ? end : start
        query.endKey = descending ? start : end
        query.descending = descending
        // Longer keys that begin with the bound belong to the range.
        query.prefixMatchLevel = isArray ? (begins ? 2 : 1) : (begins ? 1 : 0)
        guard !checks.isEmpty else { return }
        let all = checks
        query.postFilter = QueryFilter { row in all.allSatisfy { $0.holds(row) } }
    }

    private func operand(
        _ condition: QueryPredicate.Condition,
        _ values: [String: JSONValue]
    ) throws(StorageError) -> JSONValue {
        switch condition.operand {
        case .value(let value): return value
        case .parameter(let name):
            guard let value = values.first(where: { $0.key.utf8.elementsEqual(name.utf8) })?.value else {
                throw StorageError(.badParameter, "The query needs a value for its parameter '\(name)'.")
            }
            return value
        }
    }
}
