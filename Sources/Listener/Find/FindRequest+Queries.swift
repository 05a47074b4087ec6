internal import SetteeCouchProtocol
internal import SetteeDocumentValues
internal import SetteeEngine
internal import SetteeExpressions
internal import SetteeQueries
internal import StorageProtocol

extension FindRequest {
    /// The ways to ask a database, the preferred ones first: with the indexes that the request names, then with any.
    ///
    /// - Throws: 400 for a field that is refused.
    func queries(of database: Database, _ indexes: [DefinedIndex]) throws -> [FindQuery] {
        let named = useIndex.isEmpty ? [] : indexes.filter(isNamed)
        var queries: [FindQuery] = []
        let whole = named.filter { $0.definition.condition == nil }
        if !whole.isEmpty { queries.append(try query(of: database, nil, using: whole)) }
        // As in CouchDB, who names an index with a condition asks for documents that meet it.
        for index in named where index.definition.condition != nil {
            queries.append(try query(of: database, index.definition.condition, using: [index]))
        }
        queries.append(try query(of: database, nil, using: nil))
        return queries
    }

    private func isNamed(_ index: DefinedIndex) -> Bool {
        let design = "_design/" + useIndex[0]
        guard useIndex.count == 2 else {
            return (index.design ?? "_design/" + index.view).utf8.elementsEqual(design.utf8)
        }
        return index.design?.utf8.elementsEqual(design.utf8) == true && index.view.utf8.elementsEqual(useIndex[1].utf8)
    }

    private func query(
        of database: Database,
        _ condition: JSONObject?,
        using indexes: [DefinedIndex]?
    ) throws(CouchError) -> FindQuery {
        // As in CouchDB, a document that lacks a field of the order is not among the rows.
        let needed = sort.filter { !["_id", "_rev"].contains($0.field) }
            .map { JSONObject([(FindRequest.escaped($0.field), .object(["$exists": true]))]) }
        let others = ((condition.map { [$0] } ?? []) + needed).filter { !$0.isEmpty }
        let parts = (selector.isEmpty ? [] : [selector]) + others
        let both: JSONObject = ["$and": .array(parts.map { .object($0) })]
        let whole = parts.count > 1 ? both : parts.first ?? [:]
        do throws(StorageError) {
            // The selector may be long: it is compiled once for a request.
            var compiled = [compiled]
            for part in others { compiled.append(try MangoSelector(.object(part))) }
            var query = database.find(whole, compiled: MangoSelector(all: compiled), sort, limit: limit, skip: skip)
            query.hints.prefersIndexes = true
            query.hints.indexes = indexes?.map(\.name)
            return query
        } catch {
            throw CouchError(selector: error)
        }
    }

    /// A name that begins with `$` would be an operator.
    private static func escaped(_ field: String) -> String {
        field.utf8.first == UInt8(ascii: "$") ? "\\" + field : field
    }

    /// The error where indexes that are not named, or none, would have to be read.
    var noFallback: CouchError {
        switch useIndex.count {
        case 0: .mango("invalid_index", "You must specify an index with the `use_index` parameter.")
        case 1:
            .mango(
                "invalid_index",
                "_design/\(useIndex[0]) specified by `use_index` could not be found or it is not suitable."
            )
        default:
            .mango(
                "invalid_index",
                "_design/\(useIndex[0]), \(useIndex[1]) specified by `use_index` could not be found or it is not "
                    + "suitable."
            )
        }
    }

    /// CouchDB's warning where the index that the request names is not read.
    var unusedIndexWarning: String {
        useIndex.count == 1
            ? "_design/\(useIndex[0]) was not used because it does not contain a valid index for this query."
            : "_design/\(useIndex[0]), \(useIndex[1]) was not used because it is not a valid index for this query."
    }
}
