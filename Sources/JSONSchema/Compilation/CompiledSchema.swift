internal import SetteeDocumentValues
internal import StorageProtocol

/// A schema, ready to be applied. Schemas refer to each other by number.
struct CompiledSchema: Sendable {
    /// The URI of the document, and the pointer to the schema in it.
    let location: String
    var checks: [Check] = []

    /// One keyword and what it requires.
    struct Check: Sendable {
        let keyword: String
        let demand: Demand
    }

    enum Demand: Sendable {
        // Can be decided at once.
        case types(TypeSet)
        case enumeration(Set<ExactValue>)
        case multipleOf(DecimalNumber)
        case maximum(ExactNumber, isExclusive: Bool)
        case minimum(ExactNumber, isExclusive: Bool)
        case maxLength(Int64)
        case minLength(Int64)
        case pattern(Pattern)
        case format(Format)
        case maxItems(Int64)
        case minItems(Int64)
        case uniqueItems
        case maxProperties(Int64)
        case minProperties(Int64)
        case required([String])
        /// If the first name is present, the others must be, too.
        case dependent(String, names: [String])

        // Apply other schemas to the same value.
        case reference(Int)
        case dependency(String, Int)
        case all([Int])
        /// The value has one of the types, or conforms to one of the schemas.
        case any(TypeSet, [Int])
        case one([Int])
        case not(Int)

        // Apply other schemas to members and elements.
        case members(MemberRules)
        case elements(ElementRules)
    }

    /// What applies to members and elements that no other keyword covers.
    enum Rest: Sendable {
        case allowed
        case forbidden
        case schema(Int)
    }

    struct MemberRules: Sendable {
        /// The numbers of schemas by member name. A JSON object compares names by their bytes.
        var properties = JSONObject()
        var patterns: [(pattern: Pattern, schema: Int)] = []
        var rest = Rest.allowed
    }

    struct ElementRules: Sendable {
        var first: [Int] = []
        var rest = Rest.allowed
    }

    /// The schemas that are applied to the same value as this one.
    var sameValue: [Int] {
        checks.flatMap { check -> [Int] in
            switch check.demand {
            case .reference(let schema), .dependency(_, let schema), .not(let schema): [schema]
            case .all(let schemas), .any(_, let schemas), .one(let schemas): schemas
            default: []
            }
        }
    }
}

/// Types of JSON values.
struct TypeSet: OptionSet, Sendable {
    let rawValue: UInt8

    static let null = TypeSet(rawValue: 1)
    static let boolean = TypeSet(rawValue: 2)
    static let integer = TypeSet(rawValue: 4)
    static let number = TypeSet(rawValue: 8)
    static let string = TypeSet(rawValue: 16)
    static let array = TypeSet(rawValue: 32)
    static let object = TypeSet(rawValue: 64)

    private static let names: [(String, TypeSet)] = [
        ("null", .null), ("boolean", .boolean), ("integer", .integer), ("number", .number), ("string", .string),
        ("array", .array), ("object", .object),
    ]

    /// Nil if draft 4 has no such type.
    init?(name: String) {
        guard let found = TypeSet.names.first(where: { $0.0 == name }) else { return nil }
        self = found.1
    }

    init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The types of a value. A whole number is an integer, however it is written.
    init(of value: JSONValue) {
        switch value {
        case .null: self = .null
        case .bool: self = .boolean
        case .int, .uint, .longInteger: self = [.integer, .number]
        case .double: self = ExactNumber(value)?.isWhole == true ? [.integer, .number] : .number
        case .string: self = .string
        case .array: self = .array
        case .object: self = .object
        }
    }

    var text: String { TypeSet.names.filter { contains($0.1) }.map(\.0).joined(separator: ", ") }
}
