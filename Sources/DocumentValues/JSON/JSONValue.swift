/// A JSON value.
///
/// ```swift
/// let body: JSONValue = ["title": "Little, Big", "published": 1982, "tags": ["novel", nil]]
/// body["title"]?.stringValue         // "Little, Big"
/// body["tags"]?[0]                   // "novel"
/// body["notes"]                      // nil: there is no such member
/// ```
///
/// Two values are equal if their canonical texts are: `1`, `1.0` and `1e0` are one value, and so are `0` and `-0.0`.
/// From 2^53 on, an integer and a double are different values even if their magnitude is the same, because doubles keep
/// an exponent there: `9007199254740992` is not `9.007199254740992e+15`. Strings and names are compared by their UTF-8
/// bytes, so that composed and decomposed "é" are two strings.
public enum JSONValue: Sendable {
    case null
    case bool(Bool)
    case int(Int64)
    /// Parsing yields this only above `Int64.max`.
    case uint(UInt64)
    /// Parsing yields this below `Int64.min` and above `UInt64.max`.
    case longInteger(JSONLongInteger)
    /// NaN and infinities have no JSON text: writing them is an error.
    case double(Double)
    case string(String)
    case array([JSONValue])
    case object(JSONObject)
}

extension JSONValue {
    public init(_ value: Bool) { self = .bool(value) }
    public init(_ value: String) { self = .string(value) }
    public init(_ value: Double) { self = .double(value) }
    public init(_ value: Float) { self = .double(Double(value)) }
    public init(_ value: [JSONValue]) { self = .array(value) }
    public init(_ value: JSONObject) { self = .object(value) }
    public init(_ value: [String: JSONValue]) { self = .object(JSONObject(value.map { ($0.key, $0.value) })) }

    public init(_ value: Int) { self = .int(Int64(value)) }
    public init(_ value: Int64) { self = .int(value) }
    public init(_ value: Int32) { self = .int(Int64(value)) }
    public init(_ value: UInt) { self.init(UInt64(value)) }
    public init(_ value: UInt64) { self = Int64(exactly: value).map { .int($0) } ?? .uint(value) }
    public init(_ value: UInt32) { self = .int(Int64(value)) }

    /// Creates the value; `null` for nil.
    public init(_ value: JSONValue?) { self = value ?? .null }
}
