internal import SetteeDocumentValues
internal import StorageProtocol

/// Reads schemas: a root, and everything that it refers to.
struct SchemaCompiler {
    private(set) var library: SchemaLibrary
    private(set) var schemas: [CompiledSchema] = []
    let checksFormats: Bool
    /// The numbers of schemas, by their places in the library.
    private var numbers: [Int: Int] = [:]
    /// The places of the schemas, in the order of their numbers.
    private var places: [Int] = []

    init(_ documents: [String: JSONValue], checksFormats: Bool) {
        library = SchemaLibrary(documents)
        self.checksFormats = checksFormats
    }

    /// Reads a document whose root is a schema; this becomes number 0.
    mutating func compile(_ document: JSONValue, uri: String) throws(JSONSchema.Fault) {
        _ = number(of: try library.add(document, uri: uri))
        // Reading a schema may find others.
        while schemas.count < places.count { schemas.append(try read(places[schemas.count])) }
        try refuseLoops()
    }

    mutating func number(of place: Int) -> Int {
        if let known = numbers[place] { return known }
        let number = places.count
        numbers[place] = number
        places.append(place)
        return number
    }

    private mutating func read(_ place: Int) throws(JSONSchema.Fault) -> CompiledSchema {
        var schema = CompiledSchema(location: library.location(of: place))
        guard case .object(let members) = library.places[place].value else {
            throw JSONSchema.Fault(location: schema.location, message: "A schema must be a JSON object.")
        }
        if let reference = members["$ref"] {
            guard let text = reference.stringValue else {
                throw JSONSchema.Fault(location: schema.location + "/$ref", message: "It must be a string.")
            }
            let target = number(of: try library.resolve(text, from: place))
            schema.checks = [.init(keyword: "$ref", demand: .reference(target))]
            return schema
        }
        var reader = KeywordReader(place: place, members: members, location: schema.location)
        try reader.read(with: &self)
        schema.checks = reader.checks
        return schema
    }

    mutating func subschema(
        of place: Int,
        _ step: String,
        _ value: JSONValue
    ) throws(JSONSchema.Fault) -> Int {
        guard case .object = value else {
            throw JSONSchema.Fault(
                location: library.location(of: place) + step,
                message: "A schema must be a JSON object."
            )
        }
        return number(of: library.place(below: place, step, value))
    }

    /// Refuses schemas that apply themselves to the same value, which would never end.
    private func refuseLoops() throws(JSONSchema.Fault) {
        enum State { case new, open, done }
        var states = Array(repeating: State.new, count: schemas.count)
        for start in schemas.indices where states[start] == .new {
            states[start] = .open
            var path = [(schema: start, next: schemas[start].sameValue[...])]
            while let last = path.indices.last {
                guard let next = path[last].next.popFirst() else {
                    states[path[last].schema] = .done
                    path.removeLast()
                    continue
                }
                switch states[next] {
                case .done: continue
                case .open:
                    throw JSONSchema.Fault(
                        location: schemas[path[last].schema].location,
                        message: "It leads back to '\(schemas[next].location)' without going into a member or element,"
                            + " so that judging a value would never end. Break the loop."
                    )
                case .new:
                    states[next] = .open
                    path.append((next, schemas[next].sameValue[...]))
                }
            }
        }
    }
}
