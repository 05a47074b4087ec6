extension JSONValue: ExpressibleByNilLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral {
    public init(nilLiteral: ()) { self = .null }
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    public init(integerLiteral value: Int64) { self = .int(value) }
}

extension JSONValue: ExpressibleByFloatLiteral, ExpressibleByStringInterpolation {
    public init(floatLiteral value: Double) { self = .double(value) }
    public init(stringLiteral value: String) { self = .string(value) }
}

extension JSONValue: ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral {
    public init(arrayLiteral elements: (any JSONConvertible)?...) { self = elements.jsonValue }
    /// Of equal names the last wins.
    public init(dictionaryLiteral elements: (String, (any JSONConvertible)?)...) {
        self = .object(JSONObject(elements.map { ($0.0, JSONValue($0.1)) }))
    }
}

extension JSONObject: ExpressibleByDictionaryLiteral {
    /// Of equal names the last wins.
    public init(dictionaryLiteral elements: (String, (any JSONConvertible)?)...) {
        self.init(elements.map { ($0.0, JSONValue($0.1)) })
    }
}
