public import SetteeDocumentValues
internal import SetteeEngine
internal import StorageProtocol

/// A place in documents, given by a JSON pointer, for the conditions and the order of a `QueryBuilder`.
///
/// ```swift
/// let condition = QueryPlace("/type") == "book" && QueryPlace("/year") >= .parameter("from")
/// ```
public struct QueryPlace: Sendable, Hashable {
    /// The text of a JSON pointer. `QueryBuilder` refuses other text.
    public let pointer: String

    public init(_ pointer: String) { self.pointer = pointer }

    public static func == (place: QueryPlace, operand: QueryOperand) -> QueryPredicate { .init(place, .equal, operand) }
    public static func != (place: QueryPlace, operand: QueryOperand) -> QueryPredicate {
        .init(place, .unequal, operand)
    }
    public static func < (place: QueryPlace, operand: QueryOperand) -> QueryPredicate { .init(place, .less, operand) }
    public static func <= (place: QueryPlace, operand: QueryOperand) -> QueryPredicate {
        .init(place, .atMost, operand)
    }
    public static func > (place: QueryPlace, operand: QueryOperand) -> QueryPredicate {
        .init(place, .greater, operand)
    }
    public static func >= (place: QueryPlace, operand: QueryOperand) -> QueryPredicate {
        .init(place, .atLeast, operand)
    }

    /// Whether the value is a string that begins with the operand, byte by byte.
    public func begins(with operand: QueryOperand) -> QueryPredicate { .init(self, .begins, operand) }

    public static func == (a: QueryPlace, b: QueryPlace) -> Bool { a.pointer.utf8.elementsEqual(b.pointer.utf8) }
    public func hash(into hasher: inout Hasher) { for byte in pointer.utf8 { hasher.combine(byte) } }
}

/// What a place is compared with: a value, or a parameter that each query provides.
public enum QueryOperand: Sendable, Equatable {
    case value(JSONValue)
    case parameter(String)
}

extension QueryOperand: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
    ExpressibleByBooleanLiteral
{
    public init(stringLiteral value: String) { self = .value(.string(value)) }
    public init(integerLiteral value: Int64) { self = .value(.int(value)) }
    public init(floatLiteral value: Double) { self = .value(.double(value)) }
    public init(booleanLiteral value: Bool) { self = .value(.bool(value)) }
}
