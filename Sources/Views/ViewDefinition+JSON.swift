internal import SetteeDocumentValues
internal import SetteeEngine
internal import SetteeIndexes
internal import StorageProtocol

extension ViewDefinition {
    /// The prefix of a view's name in the keys of the info values that hold definitions.
    static let infoPrefix = "view/"

    static func infoKey(_ name: IndexName) -> String { infoPrefix + name.string }

    static func load(_ name: IndexName, in transaction: any ReadTransaction) throws(StorageError) -> ViewDefinition? {
        guard let text = try transaction.info(infoKey(name)) else { return nil }
        return try ViewDefinition(stored: text, of: name)
    }

    /// - Throws: `corrupt` (591).
    init(stored text: [UInt8], of name: IndexName) throws(StorageError) {
        guard let definition = ViewDefinition(json: try? JSONValue(parsing: text)) else {
            throw .corrupt("The definition of view '\(name.string)' is damaged; define it anew")
        }
        self = definition
    }

    /// The stored form.
    var json: JSONValue {
        var object: JSONObject = [
            "keys": .array(keys.map { .string($0.description) }), "collation": .string(collation.rawValue),
        ]
        if let value { object["value"] = .string(value.description) }
        if let documentType { object["type"] = .string(documentType) }
        if let reduce { object["reduce"] = .string(reduce) }
        if !requiredPlaces.isEmpty {
            object["required"] = .array(requiredPlaces.map { .string($0.description) })
        }
        if !conditions.isEmpty {
            object["where"] = .array(
                conditions.map { condition in
                    [
                        .string(condition.place.description), .string(condition.comparison.rawValue),
                        condition.literal,
                    ]
                }
            )
        }
        return .object(object)
    }

    init?(json: JSONValue?) {
        guard let json, let keys = json["keys"]?.arrayValue,
            let collation = json["collation"]?.stringValue.flatMap(ViewCollation.init(rawValue:))
        else { return nil }
        var places: [JSONPointer] = []
        for key in keys {
            guard let place = ViewDefinition.pointer(key) else { return nil }
            places.append(place)
        }
        self.init(keys: places, collation: collation)
        if let text = json["value"] {
            guard let place = ViewDefinition.pointer(text) else { return nil }
            value = place
        }
        documentType = json["type"]?.stringValue
        reduce = json["reduce"]?.stringValue
        for text in json["required"]?.arrayValue ?? [] {
            guard let place = ViewDefinition.pointer(text) else { return nil }
            requiredPlaces.append(place)
        }
        for part in json["where"]?.arrayValue ?? [] {
            guard let place = part[0].flatMap(ViewDefinition.pointer),
                let comparison = part[1]?.stringValue.flatMap(Condition.Comparison.init(rawValue:)),
                let literal = part[2]
            else { return nil }
            conditions.append(Condition(place, comparison, literal))
        }
    }

    private static func pointer(_ value: JSONValue) -> JSONPointer? {
        value.stringValue.flatMap { try? JSONPointer($0) }
    }

    /// The text that is the definition's version. It leaves out the reduce function, because no row depends on it.
    var versionText: String {
        var rows = self
        rows.reduce = nil
        return rows.json.description
    }

    /// - Throws: `badParameter` (495) if it has no key, a literal that is not JSON, or an unknown reduce function.
    func function() throws(StorageError) -> ViewFunction {
        guard !keys.isEmpty else { throw StorageError(.badParameter, "A view's definition needs at least one key.") }
        var reducing: Reduce?
        if let reduce {
            guard let known = Reduce(named: reduce) else {
                throw StorageError(
                    .badParameter,
                    "There is no reduce function of this name; there are _count, _sum, _stats, _average and "
                        + "_approx_count_distinct."
                )
            }
            reducing = known
        }
        let mapper: DefinitionMapper
        do throws(StorageError) {
            mapper = try DefinitionMapper(self)
        } catch {
            throw StorageError(.badParameter, "A literal in the view's definition is no JSON value: \(error.message)")
        }
        return ViewFunction(
            version: IndexVersion(definition: versionText, documentType: documentType, collation: collation),
            documentType: documentType,
            collation: collation,
            map: .definition(mapper),
            reduce: reducing
        )
    }
}
