public import StorageProtocol

/// A value that can be used in JSON literals, and wherever a key or a value is expected, directly as a variable.
///
/// ```swift
/// let title = "Little, Big", year = 1982, isbn: String? = nil
/// let book: JSONObject = ["title": title, "published": year, "isbn": isbn, "tags": ["novel", title]]
/// ```
///
/// An optional that is nil becomes JSON's null. Arrays and dictionaries can be written as literals at any depth, with
/// elements of different types. A variable that holds one is assigned through a subscript (`body["tags"] = tags`), and
/// is written in a literal as `.array(tags)` or `.object(names)`.
public protocol JSONConvertible: Sendable {
    /// The value as JSON.
    var jsonValue: JSONValue { get }
}

extension JSONValue: JSONConvertible {
    public var jsonValue: JSONValue { self }
}

extension JSONObject: JSONConvertible {
    public var jsonValue: JSONValue { .object(self) }
}

extension String: JSONConvertible {
    public var jsonValue: JSONValue { .string(self) }
}

extension Substring: JSONConvertible {
    public var jsonValue: JSONValue { .string(String(self)) }
}

extension Bool: JSONConvertible {
    public var jsonValue: JSONValue { .bool(self) }
}

extension Double: JSONConvertible {
    public var jsonValue: JSONValue { .double(self) }
}

extension Float: JSONConvertible {
    public var jsonValue: JSONValue { JSONValue(self) }
}

extension JSONConvertible where Self: FixedWidthInteger {
    /// The number with all of its digits. Of a type wider than 128 bits, one beyond the range of doubles is infinite.
    public var jsonValue: JSONValue {
        if let value = Int64(exactly: self) { return .int(value) }
        if let value = UInt64(exactly: self) { return .uint(value) }
        return JSONLongInteger(String(self)).map { .longInteger($0) } ?? .double(Double(self))
    }
}

extension Int: JSONConvertible {}
extension Int8: JSONConvertible {}
extension Int16: JSONConvertible {}
extension Int32: JSONConvertible {}
extension Int64: JSONConvertible {}
extension UInt: JSONConvertible {}
extension UInt8: JSONConvertible {}
extension UInt16: JSONConvertible {}
extension UInt32: JSONConvertible {}
extension UInt64: JSONConvertible {}
extension Int128: JSONConvertible {}
extension UInt128: JSONConvertible {}

extension DocumentID: JSONConvertible {
    /// The text of the ID.
    public var jsonValue: JSONValue { .string(string) }
}

extension RevisionID: JSONConvertible {
    /// The text of the ID.
    public var jsonValue: JSONValue { .string(string) }
}

// The element type is named, not bounded, so that the compiler infers it for a literal whose elements differ. With a
// bound, `[String]` would conform too, but `["novel", 1]` and `["city": name, "zip": 1]` would no longer compile: a
// type has only one conformance to a protocol.
extension Array: JSONConvertible where Element == (any JSONConvertible)? {
    public var jsonValue: JSONValue { .array(map { JSONValue($0) }) }
}

extension Dictionary: JSONConvertible where Key == String, Value == (any JSONConvertible)? {
    public var jsonValue: JSONValue { .object(JSONObject(map { ($0.key, JSONValue($0.value)) })) }
}

/// The cases of `JSONValue` by name, for use as elements of a literal.
extension Optional where Wrapped == any JSONConvertible {
    public static var null: Self { .some(JSONValue.null) }
    public static func bool(_ value: Bool) -> Self { .some(JSONValue.bool(value)) }
    public static func int(_ value: Int64) -> Self { .some(JSONValue.int(value)) }
    public static func uint(_ value: UInt64) -> Self { .some(JSONValue.uint(value)) }
    public static func double(_ value: Double) -> Self { .some(JSONValue.double(value)) }
    public static func string(_ value: String) -> Self { .some(JSONValue.string(value)) }
    public static func array(_ value: [(any JSONConvertible)?]) -> Self { .some(value.jsonValue) }
    public static func object(_ value: JSONObject) -> Self { .some(JSONValue.object(value)) }
    public static func object(_ value: [String: (any JSONConvertible)?]) -> Self { .some(value.jsonValue) }
}

extension JSONValue {
    /// Creates a value from anything that has a JSON form; nil becomes null.
    @_disfavoredOverload
    public init(_ value: (any JSONConvertible)?) { self = value?.jsonValue ?? .null }

    /// Creates an array.
    @_disfavoredOverload
    public init(_ elements: [(any JSONConvertible)?]) { self = elements.jsonValue }

    /// Creates an object.
    @_disfavoredOverload
    public init(_ members: [String: (any JSONConvertible)?]) { self = members.jsonValue }
}
