/// A property of a `Model` subclass that is stored in its document.
///
/// ```swift
/// @Stored("title") var title = ""
/// @Stored("due") var due: Date?
/// ```
///
/// The name is that of the JSON property. If the document has no such property, or one of another form, the property
/// has its initial value; to enforce forms, use a validation function. Nil is left out of the document.
///
/// With the names `_id`, `_rev`, `_deleted` and `_attachments`, the database's own members can be read.
///
/// Each access decodes or encodes the JSON form (`JSONValueDecoder`, `JSONValueEncoder`).
@propertyWrapper
public struct Stored<Value: Codable & Sendable>: Sendable {
    private let name: ObservedName
    private let initial: Value

    /// - Parameter wrappedValue: the value if the document has none.
    public init(wrappedValue: Value, _ name: String) {
        self.name = ObservedName.read(name)
        initial = wrappedValue
    }

    /// Declares an optional property, nil if the document has none.
    public init(_ name: String) where Value: ExpressibleByNilLiteral {
        self.name = ObservedName.read(name)
        initial = nil
    }

    @available(*, unavailable, message: "@Stored works in subclasses of Model.")
    public var wrappedValue: Value {
        get { initial }
        set {}
    }

    /// The property of a model. Called by the compiler.
    public static subscript<Owner: Model>(
        _enclosingInstance owner: Owner,
        wrapped wrapped: ReferenceWritableKeyPath<Owner, Value>,
        storage storage: ReferenceWritableKeyPath<Owner, Stored<Value>>
    ) -> Value {
        get {
            let stored = owner[keyPath: storage]
            return (try? owner.value(Value.self, of: stored.name)) ?? stored.initial
        }
        set { owner.setValue(newValue, of: owner[keyPath: storage].name.name) }
    }
}
