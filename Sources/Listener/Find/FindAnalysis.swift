internal import SetteeCouchProtocol
internal import SetteeDocumentValues
internal import SetteeEngine
internal import SetteeExpressions
internal import SetteeQueries
internal import StorageProtocol

/// What `_explain` tells of a query.
///
/// Facts: CouchDB 3.4, `explain` in src/mango/src/mango_cursor.erl and mango_cursor_view.erl.
struct FindAnalysis {
    private let request: FindRequest
    private let indexes: [DefinedIndex]
    /// Where the values of the selector's fields are.
    private let found: [FieldPath: FieldRanges]
    private let explanation: FindExplanation
    /// Whether rows could be sent: an index has the order.
    private let isPossible: Bool

    /// Blocks.
    init(_ request: FindRequest, of database: Database) throws {
        self.request = request
        indexes = try database.definedIndexes()
        if let mark = request.bookmark { _ = try FindBookmark(mark, request.sort, indexes) }
        found = request.compiled.rangesOfFields
        let queries = try request.queries(of: database, indexes)
        let query = try queries.dropLast().first { try !$0.explain().indexes.isEmpty } ?? queries[queries.count - 1]
        explanation = try query.explain()
        isPossible = try !explanation.indexes.isEmpty || query.hasIndexForSort()
    }

    func json(_ database: String) -> JSONObject {
        var answer: JSONObject = [
            "dbname": .string(database), "index": index, "partitioned": false,
            "selector": .object(SelectorNormalForm.of(request.selector)), "opts": .object(options),
            "limit": JSONValue(request.limit), "skip": JSONValue(request.skip),
            "fields": .array(request.fields.map { .string($0) }), "index_candidates": .array(candidates),
            "selector_hints": [hints],
            "explanation": .object(explanation.json),
        ]
        if isPossible {
            answer["mrargs"] = .object(arguments)
            answer["covering"] = false
        }
        return answer
    }

    private func defined(_ name: String) -> DefinedIndex? {
        indexes.first { $0.name.utf8.elementsEqual(name.utf8) }
    }

    /// The first index that is read: CouchDB reads one at most.
    private var read: DefinedIndex? { explanation.indexes.first.flatMap(defined) }

    private var index: JSONValue { isPossible ? read?.json ?? DefinedIndex.allDocuments : .null }

    private var options: JSONObject {
        var options = request.unused
        options["use_index"] = .array(request.useIndex.map { .string($0) })
        options["bookmark"] = .string(request.bookmark ?? "nil")
        options["limit"] = JSONValue(request.limit)
        options["skip"] = JSONValue(request.skip)
        options["sort"] = .object(JSONObject(request.sort.map { ($0.field, $0.descending ? "desc" : "asc") }))
        options["fields"] = .array(request.fields.map { .string($0) })
        options["conflicts"] = .bool(request.includesConflicts)
        options["execution_stats"] = .bool(request.wantsStatistics)
        options["allow_fallback"] = .bool(request.allowsFallback)
        return options
    }

    /// As arguments of the view that the index is in CouchDB.
    private var arguments: JSONObject {
        let keys = read.map { ranges(of: $0.definition.fields.map(\.field)) }
        let ids = keys == nil ? ranges(of: ["_id"]) : nil
        let start = keys.map { .array($0.start) } ?? ids?.start.first ?? ""
        let end = keys.map { .array($0.end) } ?? ids?.end.first ?? "<MAX>"
        let isBackward = request.sort.first?.descending ?? false
        return [
            "include_docs": true, "view_type": "map", "reduce": false, "partition": .null,
            "start_key": isBackward ? end : start, "end_key": isBackward ? start : end,
            "direction": isBackward ? "rev" : "fwd", "stable": request.unused["stable"] ?? false,
            "update": request.unused["update"] ?? true, "conflicts": request.includesConflicts ? true : "undefined",
        ]
    }

    /// The ends of the keys that matching documents have, as far as each field has values of the selector as ends.
    private func ranges(of fields: [String]) -> (start: [JSONValue], end: [JSONValue]) {
        let texts = request.compiled.operandTexts
        var (start, end): ([JSONValue], [JSONValue]) = ([], [])
        var (startIsOpen, endIsOpen) = (false, false)
        for field in fields {
            guard let path = try? FieldPath(mango: field) else { break }
            let found = found[path] ?? .everything
            let bounds = found.mayBeMissing ? nil : (found.ranges.ranges.first?.lower, found.ranges.ranges.last?.upper)
            if let value = FindAnalysis.value(of: bounds?.0, texts), !startIsOpen {
                start.append(value)
            } else {
                startIsOpen = true
            }
            if let value = FindAnalysis.value(of: bounds?.1, texts), !endIsOpen {
                end.append(value)
            } else {
                endIsOpen = true
            }
        }
        return (start, end + ["<MAX>"])
    }

    private static func value(of bound: KeyRanges.Bound??, _ texts: [[UInt8]: [UInt8]]) -> JSONValue? {
        switch bound ?? nil {
        case .including(let key), .excluding(let key): texts[key].flatMap { try? JSONValue(parsing: $0) }
        case .open, nil: nil
        }
    }

    // MARK: - What is not read

    private var candidates: [JSONValue] {
        var candidates: [JSONValue] = []
        var rank = 0
        func add(_ index: JSONValue, _ isUsable: Bool, _ reason: String, covering: JSONValue) {
            rank += 1
            candidates.append([
                "index": index,
                "analysis": [
                    "usable": .bool(isUsable), "reasons": [["name": .string(reason)]], "ranking": JSONValue(rank),
                    "covering": covering,
                ],
            ])
        }
        let rejections = explanation.rejections.compactMap { rejection in
            defined(rejection.name).map { ($0, rejection.kind) }
        }
        for (index, kind) in rejections where kind == .costlier {
            add(index.json, true, "less_overlap", covering: false)
        }
        if read != nil || !isPossible {
            let isUsable = request.sort.isEmpty || request.sort.map(\.field) == ["_id"]
            let reason = isUsable ? "unfavored_type" : "sort_order_mismatch"
            add(DefinedIndex.allDocuments, isUsable, reason, covering: .null)
        }
        for (index, kind) in rejections where kind == .unnamed {
            add(index.json, true, "excluded_by_user", covering: false)
        }
        for (index, kind) in rejections {
            switch kind {
            case .costlier, .unnamed: break
            case .partial: add(index.json, false, "is_partial", covering: false)
            case .unbounded:
                let reason = request.sort.isEmpty ? "field_mismatch" : "sort_order_mismatch"
                add(index.json, false, reason, covering: false)
            // CouchDB always waits for an index.
            case .outdated: add(index.json, false, "outdated", covering: false)
            }
        }
        return candidates
    }

    /// Which fields of the selector an index could bound.
    private var hints: JSONValue {
        let fields = found.map { path, found in (path.text, FindAnalysis.isBounded(found)) }
            .sorted { $0.0.utf8.lexicographicallyPrecedes($1.0.utf8) }
        return [
            "type": "json", "indexable_fields": .array(fields.filter(\.1).map { .string($0.0) }),
            "unindexable_fields": .array(fields.filter { !$0.1 }.map { .string($0.0) }),
        ]
    }

    private static func isBounded(_ found: FieldRanges) -> Bool { !found.ranges.isAll || !found.mayBeMissing }
}
