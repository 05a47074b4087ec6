public import SetteeDocumentValues

/// A condition on documents, written in Swift. It stands for a selector (docs/reference/selectors.md) and means the
/// same.
///
/// ```swift
/// let city = "Lyon"
/// let condition = field("address.city") == city && (field("age") > 30 || !field("tags").contains("new"))
/// ```
///
/// A field that a document lacks fails every condition but `isMissing`, under `!`, too: `!(field("a") == 1)` is the
/// same as `field("a") != 1`, and asks for an `a`.
public struct FieldCondition: Sendable, Equatable {
    /// The condition as a selector.
    public let selector: JSONObject

    init(_ selector: JSONObject) { self.selector = selector }

    /// Both hold.
    public static func && (a: FieldCondition, b: FieldCondition) -> FieldCondition {
        FieldCondition(["$and": .array([.object(a.selector), .object(b.selector)])])
    }

    /// One of them holds, or both.
    public static func || (a: FieldCondition, b: FieldCondition) -> FieldCondition {
        FieldCondition(["$or": .array([.object(a.selector), .object(b.selector)])])
    }

    /// The condition does not hold, and all fields that it names exist.
    public static prefix func ! (condition: FieldCondition) -> FieldCondition {
        FieldCondition(["$not": .object(condition.selector)])
    }

    /// All of the conditions hold. True if there are none.
    public static func all(_ conditions: [FieldCondition]) -> FieldCondition {
        conditions.isEmpty
            ? FieldCondition([:]) : FieldCondition(["$and": .array(conditions.map { .object($0.selector) })])
    }

    /// One of the conditions holds.
    ///
    /// - Precondition: there is at least one.
    public static func any(_ first: FieldCondition, _ others: [FieldCondition]) -> FieldCondition {
        FieldCondition(["$or": .array(([first] + others).map { .object($0.selector) })])
    }
}
