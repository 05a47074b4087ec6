internal import SetteeDocumentValues

/// Which types the members of a design document have, in CouchDB's words.
///
/// Facts: CouchDB 3, `validate_ddoc_fields` in src/couch_mrview/src/couch_mrview.erl.
enum DesignStructure {
    private enum Kind: String {
        case object, string, array, boolean

        func takes(_ value: JSONValue) -> Bool {
            switch (self, value) {
            case (.object, .object), (.string, .string), (.array, .array), (.boolean, .bool): true
            default: false
            }
        }
    }

    private struct Step {
        /// Nil: every member.
        var name: String?
        /// What its value may be, in the order in which CouchDB tells it.
        var kinds: [Kind]

        init(_ name: String?, _ kinds: Kind...) {
            self.name = name
            self.kinds = kinds
        }
    }

    private static let options = Step("options", .object)
    private static let views = Step("views", .object)
    private static let named = Step(nil, .string, .object)

    /// - Throws: `invalid`.
    static func check(_ members: JSONObject) throws(DesignError) {
        let map: Kind = members["language"] == "query" ? .object : .string
        let paths: [[Step]] = [
            [Step("filters", .object), named],
            [Step("language", .string)],
            [Step("lists", .object), named],
            [options],
            [options, Step("include_design", .boolean)],
            [options, Step("local_seq", .boolean)],
            [options, Step("partitioned", .boolean)],
            [Step("rewrites", .array, .string)],
            [Step("shows", .object), named],
            [Step("updates", .object), named],
            [Step("validate_doc_update", .string)],
            [views, Step("lib", .object)],
            [views, Step(nil, .object), Step("map", map)],
            [views, Step(nil, .object), Step("reduce", .string)],
        ]
        for path in paths { try check(members, path[...], behind: "") }
        for (name, view) in members["views"]?.objectValue ?? [:] where name != DesignDocument.library {
            if view["map"] == nil { throw .invalid("View `\(name)` must contain map function") }
        }
    }

    private static func check(
        _ members: JSONObject,
        _ path: ArraySlice<Step>,
        behind prefix: String
    ) throws(DesignError) {
        guard let step = path.first else { return }
        for (name, value) in members where step.name == nil || step.name == name {
            guard step.kinds.contains(where: { $0.takes(value) }) else {
                let kinds = step.kinds.map(\.rawValue).joined(separator: " or ")
                throw .invalid("`\(prefix)\(name)` field must have \(kinds) type")
            }
            if let inner = value.objectValue { try check(inner, path.dropFirst(), behind: prefix + name + ".") }
        }
    }
}
