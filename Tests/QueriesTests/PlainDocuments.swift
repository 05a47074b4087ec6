import Settee
import SetteeDocumentValues
import SetteeQueries
import SetteeSelectorSupport
import StorageProtocol

/// The documents of one state of a database, to be asked plainly: each is compared with the selector, and those that
/// match are sorted.
struct PlainDocuments {
    var bodies: [[UInt8]: JSONObject] = [:]

    init() {}

    init(_ snapshot: Snapshot) throws {
        var found: [(id: [UInt8], body: [UInt8])] = []
        try snapshot.forEachDocument(DocumentQuery(includeBodies: true)) { (record) throws(StorageError) in
            found.append((Array(try record.documentID().string.utf8), record.bodyCopy()))
            return true
        }
        for (id, body) in found where !id.starts(with: "_design/".utf8) {
            bodies[id] = try JSONValue(parsing: body).objectValue
        }
    }

    /// The IDs of the documents that match, in order.
    func ids(_ selector: JSONObject, _ sort: [FindOrder]) throws -> [String] {
        let reference = ReferenceSelector(.object(selector))
        var rows: [(id: [UInt8], keys: [[UInt8]])] = []
        for (id, body) in bodies {
            var document = body
            document["_id"] = .string(String(decoding: id, as: UTF8.self))
            document["_rev"] = "1-a"
            guard try reference.matches(.object(document)) else { continue }
            rows.append((id, try sort.map { try key($0.field, document) }))
        }
        rows.sort { a, b in
            for (place, order) in sort.enumerated() where a.keys[place] != b.keys[place] {
                return a.keys[place].lexicographicallyPrecedes(b.keys[place]) != order.descending
            }
            return a.id.lexicographicallyPrecedes(b.id) != (sort.last?.descending ?? false)
        }
        return rows.map { String(decoding: $0.id, as: UTF8.self) }
    }

    private func key(_ field: String, _ document: JSONObject) throws -> [UInt8] {
        var value: JSONValue? = .object(document)
        for name in field.split(separator: ".").map(String.init) {
            switch value {
            case .object(let object): value = object[name]
            case .array(let elements):
                value = Int(name).flatMap { elements.indices.contains($0) ? elements[$0] : Optional<JSONValue>.none }
            default: value = Optional<JSONValue>.none
            }
        }
        guard let value else { return [] }
        var key: [UInt8] = []
        let text = try value.canonicalBytes()
        do {
            try unsafe (field == "_id" ? Collator.raw : .unicode).encode(text.span.bytes, into: &key)
        } catch {
            return [0xFF]
        }
        return key
    }
}

/// What a query finds and what a plain evaluation finds differ.
struct FindDifference: Error, CustomStringConvertible {
    var description: String
}

extension Database {
    /// How many plans there are for a query.
    func planCount(of query: FindQuery) throws -> Int {
        try withReadTransaction { (transaction) throws(StorageError) in try query.planCount(in: transaction) }
    }

    /// Compares, within one snapshot, what queries find under every plan with a plain evaluation of all documents.
    ///
    /// - Returns: how many plans there were.
    @discardableResult
    func comparePlainly(_ questions: [(selector: JSONObject, sort: [FindOrder])]) throws -> Int {
        try read { snapshot in
            let documents = try PlainDocuments(snapshot)
            var plans = 0
            for (selector, sort) in questions {
                let wanted = try documents.ids(selector, sort)
                var query = try find(selector, sort: sort)
                let count = try planCount(of: query)
                for plan in [nil] + (0..<count).map({ Optional($0) }) {
                    query.forced = plan
                    let found = try query.run().map(\.documentID.string)
                    let isEqual =
                        sort.isEmpty
                        ? found.map { Array($0.utf8) }.sorted { $0.lexicographicallyPrecedes($1) }
                            == wanted.map { Array($0.utf8) }
                        : found.map { Array($0.utf8) } == wanted.map { Array($0.utf8) }
                    guard isEqual else {
                        throw FindDifference(
                            description:
                                "\(JSONValue.object(selector)), plan \(plan.map(String.init) ?? "-"): \(found), "
                                + "not \(wanted)\n\(try query.explain())"
                        )
                    }
                }
                plans += count
            }
            return plans
        }
    }
}
