/// Why an index is not read for a query.
package struct FindRejection: Sendable {
    package enum Kind: Sendable {
        /// The query names other indexes.
        case unnamed
        /// The query does not imply the index's condition.
        case partial
        /// The query does not bound the index's first field, and the index does not give the order.
        case unbounded
        /// The index lacks too many changes.
        case outdated
        /// Another way reads less.
        case costlier
    }

    /// The name of the index.
    package let name: String
    package let kind: Kind
    /// For people.
    package let reason: String

    init(_ name: String, _ kind: Kind, _ reason: String) {
        self.name = name
        self.kind = kind
        self.reason = reason
    }
}
