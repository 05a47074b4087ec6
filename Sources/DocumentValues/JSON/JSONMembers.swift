/// A container of JSON values with names, to which variables can be assigned directly.
///
/// ```swift
/// let title = "Little, Big", tags = ["novel", "fantasy"], shelf: Int? = nil
/// body["title"] = title
/// body["tags"] = tags
/// body["shelf"] = shelf                          // nil removes the member
/// ```
public protocol JSONMembers {
    /// The value with a name. Setting nil removes it.
    subscript(name: String) -> JSONValue? { get set }
}

extension JSONMembers {
    /// A value that has a JSON form.
    @_disfavoredOverload
    public subscript(name: String) -> (any JSONConvertible)? {
        get { self[name] as JSONValue? }
        set { self[name] = newValue.map { $0.jsonValue } }
    }

    /// An array of such values. It can only be set; read it with `arrayValue`.
    @_disfavoredOverload
    public subscript<Element: JSONConvertible>(name: String) -> [Element]? {
        @available(*, unavailable, message: "Read the value, and its `arrayValue`.")
        get { fatalError() }
        set { self[name] = newValue.map { .array($0.map(\.jsonValue)) } }
    }

    /// A dictionary of such values. It can only be set; read it with `objectValue`.
    @_disfavoredOverload
    public subscript<Value: JSONConvertible>(name: String) -> [String: Value]? {
        @available(*, unavailable, message: "Read the value, and its `objectValue`.")
        get { fatalError() }
        set { self[name] = newValue.map { .object(JSONObject($0.map { ($0.key, $0.value.jsonValue) })) } }
    }
}

/// A sequence of JSON values, to which variables can be assigned directly: `body["tags"][0] = tag`.
public protocol JSONElements {
    /// The value at an index. Setting nil removes it.
    subscript(index: Int) -> JSONValue? { get set }
}

extension JSONElements {
    /// A value that has a JSON form.
    @_disfavoredOverload
    public subscript(index: Int) -> (any JSONConvertible)? {
        get { self[index] as JSONValue? }
        set { self[index] = newValue.map { $0.jsonValue } }
    }

    /// An array of such values. It can only be set; read it with `arrayValue`.
    @_disfavoredOverload
    public subscript<Element: JSONConvertible>(index: Int) -> [Element]? {
        @available(*, unavailable, message: "Read the value, and its `arrayValue`.")
        get { fatalError() }
        set { self[index] = newValue.map { .array($0.map(\.jsonValue)) } }
    }

    /// A dictionary of such values. It can only be set; read it with `objectValue`.
    @_disfavoredOverload
    public subscript<Value: JSONConvertible>(index: Int) -> [String: Value]? {
        @available(*, unavailable, message: "Read the value, and its `objectValue`.")
        get { fatalError() }
        set { self[index] = newValue.map { .object(JSONObject($0.map { ($0.key, $0.value.jsonValue) })) } }
    }
}
