internal import SetteeDocumentValues
internal import StorageProtocol

/// The documents that contain schemas, and the location and URI of each schema.
struct SchemaLibrary {
    /// The location of a schema in a document.
    struct Place {
        let document: Int
        /// The JSON pointer from the document's root.
        let pointer: String
        let value: JSONValue
        /// The base of references inside it.
        let base: URIReference
    }

    private(set) var places: [Place] = []
    /// The URI of each document.
    private(set) var documents: [String] = []
    /// The keys are bytes, because spellings that are equal in Unicode are different names here.
    private var byPointer: [[UInt8]: Int] = [:]
    private var byURI: [[UInt8]: Int] = [:]
    /// Documents that may still be referred to, by URI without fragment.
    private var others: [[UInt8]: JSONValue] = [:]

    init(_ others: [String: JSONValue]) {
        self.others[Array(MetaSchema.uri.utf8)] = MetaSchema.value
        for (uri, document) in others { self.others[Array(URIReference(uri).resource.utf8)] = document }
    }

    /// Adds a document, and returns the place of its root.
    mutating func add(_ document: JSONValue, uri: String) throws(JSONSchema.Fault) -> Int {
        let number = documents.count
        documents.append(uri)
        let root = places.count
        guard case .object = document else {
            throw JSONSchema.Fault(location: uri + "#", message: "A schema must be a JSON object.")
        }
        scan(document, document: number, pointer: "", base: URIReference(uri))
        register(root, under: uri)
        return root
    }

    private mutating func register(_ place: Int, under uri: String) {
        let key = Array(uri.utf8)
        if byURI[key] == nil { byURI[key] = place }
    }

    /// Returns the location of a place for messages: the document's URI and the pointer.
    func location(of place: Int) -> String {
        documents[places[place].document] + "#" + places[place].pointer
    }

    /// Returns the place of the schema one step below another one.
    mutating func place(below place: Int, _ step: String, _ value: JSONValue) -> Int {
        let outer = places[place]
        let pointer = outer.pointer + step
        if let known = byPointer[SchemaLibrary.key(outer.document, pointer)] { return known }
        let found = places.count
        scan(value, document: outer.document, pointer: pointer, base: outer.base)
        return found
    }

    // MARK: - Finding schemas

    private static func key(_ document: Int, _ pointer: String) -> [UInt8] { Array("\(document)#\(pointer)".utf8) }

    /// Adds the schema at `pointer` and all schemas below it, with the URIs from their `id`s. It looks only where draft
    /// 4 has schemas: an `id` inside an `enum` is a value.
    private mutating func scan(_ value: JSONValue, document: Int, pointer: String, base: URIReference) {
        var pending = [(value: value, pointer: pointer, base: base)]
        while let next = pending.popLast() {
            let key = SchemaLibrary.key(document, next.pointer)
            guard case .object(let members) = next.value, byPointer[key] == nil else { continue }
            var base = next.base
            let number = places.count
            // With a `$ref`, everything else is ignored, even an `id`.
            if members["$ref"]?.stringValue == nil, let id = members["id"]?.stringValue {
                let uri = URIReference(id).resolved(against: base)
                base = uri
                base.fragment = nil
                if let fragment = uri.fragment, !fragment.isEmpty {
                    register(number, under: uri.resource + "#" + fragment)
                } else {
                    register(number, under: uri.resource)
                }
            }
            byPointer[key] = number
            places.append(Place(document: document, pointer: next.pointer, value: next.value, base: base))
            for (step, schema) in SchemaLibrary.schemas(in: members).reversed() {
                pending.append((schema, next.pointer + step, base))
            }
        }
    }

    /// Returns what is directly below a schema and is a schema itself if it is an object.
    private static func schemas(in members: JSONObject) -> [(step: String, schema: JSONValue)] {
        var found: [(step: String, schema: JSONValue)] = []
        for (keyword, value) in members {
            let step = "/" + PointerToken.escape(keyword)
            switch keyword {
            case "properties", "patternProperties", "definitions", "dependencies":
                guard case .object(let inner) = value else { continue }
                for (name, schema) in inner { found.append((step + "/" + PointerToken.escape(name), schema)) }
            case "allOf", "anyOf", "oneOf", "type":
                guard case .array(let inner) = value else { continue }
                for (index, schema) in inner.enumerated() { found.append(("\(step)/\(index)", schema)) }
            case "items":
                if case .array(let inner) = value {
                    for (index, schema) in inner.enumerated() { found.append(("\(step)/\(index)", schema)) }
                } else {
                    found.append((step, value))
                }
            case "additionalProperties", "additionalItems", "not":
                found.append((step, value))
            default:
                continue
            }
        }
        return found
    }

    // MARK: - References

    /// Returns the place that a `$ref` in the schema at `place` leads to.
    mutating func resolve(_ reference: String, from place: Int) throws(JSONSchema.Fault) -> Int {
        let target = URIReference(reference).resolved(against: places[place].base)
        let location = self.location(of: place) + "/$ref"
        guard let fragment = target.decodedFragment else {
            throw JSONSchema.Fault(location: location, message: "The fragment's percent-encoding is malformed.")
        }
        if let encoded = target.fragment, !fragment.isEmpty,
            let known = byURI[Array((target.resource + "#" + encoded).utf8)]
        {
            return known
        }
        let root = try resource(target.resource, location)
        if fragment.isEmpty { return root }
        guard fragment.utf8.first == UInt8(ascii: "/") else {
            // The document just added may contain the name.
            if let known = byURI[Array((target.resource + "#" + (target.fragment ?? "")).utf8)] { return known }
            throw JSONSchema.Fault(location: location, message: "No schema has the id that '\(reference)' names.")
        }
        guard let found = descend(fragment, from: root) else {
            throw JSONSchema.Fault(location: location, message: "There is nothing at '\(reference)'.")
        }
        return found
    }

    private mutating func resource(_ uri: String, _ location: String) throws(JSONSchema.Fault) -> Int {
        let key = Array(uri.utf8)
        if let known = byURI[key] { return known }
        guard let document = others[key] else {
            throw JSONSchema.Fault(
                location: location,
                message: "The schema '\(uri)' is not known. Nothing is fetched: give it among the documents."
            )
        }
        return try add(document, uri: uri)
    }

    /// Follows a JSON pointer from the root of a resource.
    private mutating func descend(_ pointer: String, from root: Int) -> Int? {
        let document = places[root].document
        var (value, path, base) = (places[root].value, places[root].pointer, places[root].base)
        let slash = UInt8(ascii: "/")
        for part in pointer.utf8.dropFirst().split(separator: slash, omittingEmptySubsequences: false) {
            guard let name = PointerToken.unescape(part), let next = PointerToken.step(name, in: value) else {
                return nil
            }
            value = next
            path += "/" + PointerToken.escape(name)
            if let known = byPointer[SchemaLibrary.key(document, path)] { base = places[known].base }
        }
        if let known = byPointer[SchemaLibrary.key(document, path)] { return known }
        guard case .object = value else { return nil }
        let found = places.count
        scan(value, document: document, pointer: path, base: base)
        return found
    }
}
