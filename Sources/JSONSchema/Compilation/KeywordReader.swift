internal import SetteeDocumentValues
internal import StorageProtocol

/// Reads the keywords of one schema.
struct KeywordReader {
    let place: Int
    let members: JSONObject
    let location: String
    private(set) var checks: [CompiledSchema.Check] = []

    init(place: Int, members: JSONObject, location: String) {
        self.place = place
        self.members = members
        self.location = location
    }

    mutating func read(with compiler: inout SchemaCompiler) throws(JSONSchema.Fault) {
        try refuseOtherDrafts()
        try readTypes(&compiler)
        if let values = try array("enum") { add("enum", .enumeration(Set(values.map(ExactValue.init)))) }
        try readNumbers()
        try readStrings(compiler.checksFormats)
        try readCounts()
        if let names = try names("required", members["required"]) { add("required", .required(names)) }
        try readDependencies(&compiler)
        try readMembers(&compiler)
        try readElements(&compiler)
        if let schemas = try schemas("allOf", &compiler) { add("allOf", .all(schemas)) }
        if let schemas = try schemas("anyOf", &compiler) { add("anyOf", .any([], schemas)) }
        if let schemas = try schemas("oneOf", &compiler) { add("oneOf", .one(schemas)) }
        if let schema = members["not"] { add("not", .not(try compiler.subschema(of: place, "/not", schema))) }
    }

    private mutating func add(_ keyword: String, _ demand: CompiledSchema.Demand) {
        checks.append(.init(keyword: keyword, demand: demand))
    }

    private func fault(_ step: String, _ message: String) -> JSONSchema.Fault {
        JSONSchema.Fault(location: "\(location)/\(step)", message: message)
    }

    /// Refuses schemas of other drafts, whose keywords would otherwise be silently ignored.
    private func refuseOtherDrafts() throws(JSONSchema.Fault) {
        guard let named = members["$schema"] else { return }
        guard let text = named.stringValue else { throw fault("$schema", "It must be a string.") }
        let uri = URIReference(text).resource
        guard uri.contains("//json-schema.org/draft"), !uri.contains("//json-schema.org/draft-04/") else { return }
        throw fault("$schema", "Only draft 4 of JSON Schema is understood: \(MetaSchema.uri)#.")
    }

    // MARK: - Values of keywords

    /// Returns a list that must not be empty.
    private func array(_ keyword: String) throws(JSONSchema.Fault) -> [JSONValue]? {
        guard let value = members[keyword] else { return nil }
        guard let elements = value.arrayValue, !elements.isEmpty else {
            throw fault(keyword, "It must be an array that is not empty.")
        }
        return elements
    }

    private func object(_ keyword: String) throws(JSONSchema.Fault) -> JSONObject? {
        guard let value = members[keyword] else { return nil }
        guard let object = value.objectValue else { throw fault(keyword, "It must be an object.") }
        return object
    }

    private func flag(_ keyword: String) throws(JSONSchema.Fault) -> Bool {
        guard let value = members[keyword] else { return false }
        guard let flag = value.boolValue else { throw fault(keyword, "It must be true or false.") }
        return flag
    }

    private func count(_ keyword: String) throws(JSONSchema.Fault) -> Int64? {
        guard let value = members[keyword] else { return nil }
        if let count = value.intValue, count >= 0 { return count }
        guard let number = ExactNumber(value), number.isWhole, !(number < .whole(0)) else {
            throw fault(keyword, "It must be a whole number that is not negative.")
        }
        return .max
    }

    private func names(_ step: String, _ value: JSONValue?) throws(JSONSchema.Fault) -> [String]? {
        guard let value else { return nil }
        let names = value.arrayValue?.compactMap(\.stringValue) ?? []
        guard !names.isEmpty, names.count == value.arrayValue?.count else {
            throw fault(step, "It must be an array of at least one string.")
        }
        return names
    }

    private func schemas(
        _ keyword: String,
        _ compiler: inout SchemaCompiler
    ) throws(JSONSchema.Fault) -> [Int]? {
        guard let values = try array(keyword) else { return nil }
        var numbers: [Int] = []
        for (index, value) in values.enumerated() {
            numbers.append(try compiler.subschema(of: place, "/\(keyword)/\(index)", value))
        }
        return numbers
    }

    /// Reads `additionalProperties` or `additionalItems`.
    private func rest(
        _ keyword: String,
        _ compiler: inout SchemaCompiler
    ) throws(JSONSchema.Fault) -> CompiledSchema.Rest {
        switch members[keyword] {
        case nil, .bool(true): return .allowed
        case .bool(false): return .forbidden
        case let schema?: return .schema(try compiler.subschema(of: place, "/\(keyword)", schema))
        }
    }

    // MARK: - Keywords

    /// Reads a type's name, or an array of names. The array may also contain schemas, which the data model of
    /// tombstones needs.
    private mutating func readTypes(_ compiler: inout SchemaCompiler) throws(JSONSchema.Fault) {
        guard let value = members["type"] else { return }
        if let name = value.stringValue {
            add("type", .types(try type(name, "type")))
            return
        }
        guard let alternatives = value.arrayValue, !alternatives.isEmpty else {
            throw fault("type", "It must be the name of a type, or an array of names and schemas that is not empty.")
        }
        var types: TypeSet = []
        var schemas: [Int] = []
        for (index, alternative) in alternatives.enumerated() {
            if let name = alternative.stringValue {
                types.formUnion(try type(name, "type/\(index)"))
            } else {
                schemas.append(try compiler.subschema(of: place, "/type/\(index)", alternative))
            }
        }
        add("type", schemas.isEmpty ? .types(types) : .any(types, schemas))
    }

    private func type(_ name: String, _ step: String) throws(JSONSchema.Fault) -> TypeSet {
        guard let type = TypeSet(name: name) else {
            throw fault(
                step,
                "There is no such type. Draft 4 has null, boolean, integer, number, string, array, object."
            )
        }
        return type
    }

    private mutating func readNumbers() throws(JSONSchema.Fault) {
        if let value = members["multipleOf"] {
            guard let unit = DecimalNumber(magnitudeOf: value), unit.coefficient != 0,
                let number = ExactNumber(value), .whole(0) < number
            else { throw fault("multipleOf", "It must be a number above 0.") }
            add("multipleOf", .multipleOf(unit))
        }
        if let limit = try limit("maximum", "exclusiveMaximum") {
            add("maximum", .maximum(limit.number, isExclusive: limit.isExclusive))
        }
        if let limit = try limit("minimum", "exclusiveMinimum") {
            add("minimum", .minimum(limit.number, isExclusive: limit.isExclusive))
        }
    }

    private func limit(
        _ keyword: String,
        _ exclusive: String
    ) throws(JSONSchema.Fault) -> (number: ExactNumber, isExclusive: Bool)? {
        let isExclusive = try flag(exclusive)
        guard let value = members[keyword] else {
            if members[exclusive] != nil { throw fault(exclusive, "It needs '\(keyword)' beside it.") }
            return nil
        }
        guard let number = ExactNumber(value) else { throw fault(keyword, "It must be a number.") }
        return (number, isExclusive)
    }

    private mutating func readStrings(_ checksFormats: Bool) throws(JSONSchema.Fault) {
        if let count = try count("maxLength") { add("maxLength", .maxLength(count)) }
        if let count = try count("minLength") { add("minLength", .minLength(count)) }
        if let value = members["pattern"] {
            guard let text = value.stringValue else { throw fault("pattern", "It must be a string.") }
            add("pattern", .pattern(try pattern(text, "pattern")))
        }
        if let value = members["format"] {
            guard let name = value.stringValue else { throw fault("format", "It must be a string.") }
            if checksFormats, let format = Format(rawValue: name) { add("format", .format(format)) }
        }
    }

    private func pattern(_ text: String, _ step: String) throws(JSONSchema.Fault) -> Pattern {
        guard let pattern = Pattern(text) else {
            throw fault(step, "It is no regular expression, or none that is understood.")
        }
        return pattern
    }

    private mutating func readCounts() throws(JSONSchema.Fault) {
        if let count = try count("maxItems") { add("maxItems", .maxItems(count)) }
        if let count = try count("minItems") { add("minItems", .minItems(count)) }
        if try flag("uniqueItems") { add("uniqueItems", .uniqueItems) }
        if let count = try count("maxProperties") { add("maxProperties", .maxProperties(count)) }
        if let count = try count("minProperties") { add("minProperties", .minProperties(count)) }
    }

    private mutating func readDependencies(_ compiler: inout SchemaCompiler) throws(JSONSchema.Fault) {
        guard let dependencies = try object("dependencies") else { return }
        for (name, value) in dependencies {
            let step = "dependencies/\(PointerToken.escape(name))"
            if case .object = value {
                add("dependencies", .dependency(name, try compiler.subschema(of: place, "/" + step, value)))
            } else if let names = try names(step, value) {
                add("dependencies", .dependent(name, names: names))
            }
        }
    }

    private mutating func readMembers(_ compiler: inout SchemaCompiler) throws(JSONSchema.Fault) {
        var rules = CompiledSchema.MemberRules()
        for (name, schema) in try object("properties") ?? [:] {
            let step = "/properties/\(PointerToken.escape(name))"
            rules.properties[name] = .int(Int64(try compiler.subschema(of: place, step, schema)))
        }
        for (text, schema) in try object("patternProperties") ?? [:] {
            let step = "patternProperties/\(PointerToken.escape(text))"
            rules.patterns.append((try pattern(text, step), try compiler.subschema(of: place, "/" + step, schema)))
        }
        rules.rest = try rest("additionalProperties", &compiler)
        if case .allowed = rules.rest, rules.properties.isEmpty, rules.patterns.isEmpty { return }
        add("additionalProperties", .members(rules))
    }

    private mutating func readElements(_ compiler: inout SchemaCompiler) throws(JSONSchema.Fault) {
        var rules = CompiledSchema.ElementRules()
        let additional = try rest("additionalItems", &compiler)
        switch members["items"] {
        case nil: return
        case .array(let schemas):
            guard !schemas.isEmpty else { throw fault("items", "It must be a schema, or an array that is not empty.") }
            for (index, schema) in schemas.enumerated() {
                rules.first.append(try compiler.subschema(of: place, "/items/\(index)", schema))
            }
            rules.rest = additional
        case let schema?:
            rules.rest = .schema(try compiler.subschema(of: place, "/items", schema))
        }
        add("additionalItems", .elements(rules))
    }
}
