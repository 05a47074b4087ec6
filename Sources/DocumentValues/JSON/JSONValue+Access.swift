extension JSONValue {
    public var isNull: Bool {
        if case .null = self { true } else { false }
    }

    /// The truth value, nil where this is none.
    public var boolValue: Bool? {
        if case .bool(let value) = self { value } else { nil }
    }

    /// The number, where it is a whole one that fits, however it is written; nil otherwise.
    public var intValue: Int64? {
        switch self {
        case .int(let value): value
        case .uint(let value): Int64(exactly: value)
        case .double(let value): Int64(exactly: value)
        default: nil
        }
    }

    /// The number as the nearest double, nil where this is no number.
    public var doubleValue: Double? {
        switch self {
        case .int(let value): Double(value)
        case .uint(let value): Double(value)
        case .double(let value): value
        default: nil
        }
    }

    /// The text, nil where this is no string.
    public var stringValue: String? {
        if case .string(let value) = self { value } else { nil }
    }

    /// The elements, nil where this is no array.
    public var arrayValue: [JSONValue]? {
        if case .array(let value) = self { value } else { nil }
    }

    /// The members, nil where this is no object.
    public var objectValue: JSONObject? {
        if case .object(let value) = self { value } else { nil }
    }
}
