public import SetteeDocumentValues

/// A field of documents, for conditions that are written in Swift.
///
/// - Parameter path: names joined with points, as in `address.city`; an element of an array by its index, as in
///   `tags.0`. A point in a name is written with a backslash before it.
public func field(_ path: String) -> DocumentField { DocumentField(path) }

/// A field of documents: the left side of a condition. Made by `field(_:)`.
///
/// Values are compared in the order of views: null, false, true, numbers, strings by the Unicode Collation Algorithm,
/// arrays, objects. Whatever has a JSON form can stand on the right side as it is.
public struct DocumentField: Sendable {
    private let path: String

    init(_ path: String) { self.path = path }

    private func condition(_ name: String, _ argument: JSONValue) -> FieldCondition {
        FieldCondition(JSONObject([(escapedPath, .object(JSONObject([(name, argument)])))]))
    }

    /// A name that begins with `$` would be an operator.
    private var escapedPath: String { path.utf8.first == UInt8(ascii: "$") ? "\\" + path : path }

    // MARK: - Comparisons

    public static func == (field: DocumentField, value: some JSONConvertible) -> FieldCondition {
        field.condition("$eq", value.jsonValue)
    }
    public static func != (field: DocumentField, value: some JSONConvertible) -> FieldCondition {
        field.condition("$ne", value.jsonValue)
    }
    public static func < (field: DocumentField, value: some JSONConvertible) -> FieldCondition {
        field.condition("$lt", value.jsonValue)
    }
    public static func <= (field: DocumentField, value: some JSONConvertible) -> FieldCondition {
        field.condition("$lte", value.jsonValue)
    }
    public static func > (field: DocumentField, value: some JSONConvertible) -> FieldCondition {
        field.condition("$gt", value.jsonValue)
    }
    public static func >= (field: DocumentField, value: some JSONConvertible) -> FieldCondition {
        field.condition("$gte", value.jsonValue)
    }

    /// The value is equal to null, which is not the same as missing.
    public var isNull: FieldCondition { condition("$eq", .null) }

    /// The value is at least the lower bound and at most the upper one.
    public func `in`<Bound: JSONConvertible>(_ range: ClosedRange<Bound>) -> FieldCondition {
        both("$gte", range.lowerBound.jsonValue, "$lte", range.upperBound.jsonValue)
    }

    /// The value is at least the lower bound and below the upper one.
    public func `in`<Bound: JSONConvertible>(_ range: Range<Bound>) -> FieldCondition {
        both("$gte", range.lowerBound.jsonValue, "$lt", range.upperBound.jsonValue)
    }

    private func both(_ lower: String, _ low: JSONValue, _ upper: String, _ high: JSONValue) -> FieldCondition {
        FieldCondition(JSONObject([(escapedPath, .object(JSONObject([(lower, low), (upper, high)])))]))
    }

    /// The value is equal to one of these, or an array with an element that is.
    public func `in`(_ values: [some JSONConvertible]) -> FieldCondition {
        condition("$in", .array(values.map(\.jsonValue)))
    }

    /// The value is not equal to any of these, nor an array with an element that is.
    public func notIn(_ values: [some JSONConvertible]) -> FieldCondition {
        condition("$nin", .array(values.map(\.jsonValue)))
    }

    // MARK: - Other conditions

    /// The value is an array with an element that is equal to this.
    public func contains(_ value: some JSONConvertible) -> FieldCondition {
        condition("$elemMatch", .object(JSONObject([("$eq", value.jsonValue)])))
    }

    /// The value is an array with an element for which the condition holds; fields are those of the element.
    public func containsElement(where condition: FieldCondition) -> FieldCondition {
        self.condition("$elemMatch", .object(condition.selector))
    }

    /// The value is a string that begins with these characters.
    public func begins(with prefix: String) -> FieldCondition { condition("$beginsWith", .string(prefix)) }

    /// The value is a string in which this regular expression of ICU matches anywhere.
    public func matches(_ pattern: String) -> FieldCondition { condition("$regex", .string(pattern)) }

    /// The document has no such field: an object on the path lacks the member.
    public var isMissing: FieldCondition { condition("$exists", .bool(false)) }

    /// The document has such a field, even if it is null.
    public var exists: FieldCondition { condition("$exists", .bool(true)) }

    /// The value is of a type: "null", "boolean", "number", "string", "array" or "object".
    public func isOfType(_ name: String) -> FieldCondition { condition("$type", .string(name)) }
}
