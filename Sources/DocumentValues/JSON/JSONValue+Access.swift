extension JSONValue {
    public var isNull: Bool {
        if case .null = self { true } else { false }
    }

    /// The truth value, nil for other values.
    public var boolValue: Bool? {
        if case .bool(let value) = self { value } else { nil }
    }

    /// The number if it is a whole one that fits, however it is written; nil otherwise.
    public var intValue: Int64? {
        switch self {
        case .int(let value): value
        case .uint(let value): Int64(exactly: value)
        case .double(let value): Int64(exactly: value)
        default: nil
        }
    }

    /// The number as the nearest double, nil for other values.
    public var doubleValue: Double? {
        switch self {
        case .int(let value): Double(value)
        case .uint(let value): Double(value)
        case .longInteger(let value): value.doubleValue
        case .double(let value): value
        default: nil
        }
    }

    /// The text, nil for other values.
    public var stringValue: String? {
        if case .string(let value) = self { value } else { nil }
    }

    /// The elements, nil for other values.
    public var arrayValue: [JSONValue]? {
        if case .array(let value) = self { value } else { nil }
    }

    /// The members, nil for other values.
    public var objectValue: JSONObject? {
        if case .object(let value) = self { value } else { nil }
    }
}
