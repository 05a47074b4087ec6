internal import SetteeDocumentValues
internal import StorageProtocol

/// The body of an old revision, reduced to what can be kept.
struct OldBody {
    /// The body without members whose names begin with `_`.
    private(set) var canonical: [UInt8] = []
    /// The value of `_removed`, which is added again.
    private(set) var withdrawn: JSONValue?
    /// The entries of `_attachments`.
    private(set) var attachments: JSONObject = JSONObject()
    private(set) var problems: [String] = []

    /// Members that Couchbase Lite removes from a body before storing it: they only repeat what is in the tree.
    private static let implied: Set<String> = [
        "_id", "_rev", "_deleted", "_revisions", "_revs_info", "_conflicts", "_deleted_conflicts", "_local_seq",
    ]

    /// The longest body, in bytes.
    static let maximumLength = 32 << 20

    static let empty = Array("{}".utf8)

    /// - Parameter text: the JSON text, which is empty for an empty body in 1.0.
    init(_ text: [UInt8], with parser: inout JSONParser) {
        guard !text.isEmpty else {
            canonical = OldBody.empty
            return
        }
        do throws(StorageError) {
            try unsafe parser.parse(text.span.bytes)
            guard let root = parser.root, parser.kind(of: root) == .object else {
                throw StorageError(.badJSON, "It is no object.")
            }
            if parser.hasReservedMembers {
                parser.forEachReservedMember { name, node in take(name, parser.value(of: node)) }
                var object = parser.value(of: root).objectValue ?? JSONObject()
                for name in object.keys where name.utf8.first == UInt8(ascii: "_") { object[name] = nil }
                canonical = try object.canonicalBytes()
            } else {
                try parser.writeDocumentBody(into: &canonical)
            }
            guard canonical.count <= OldBody.maximumLength else {
                throw StorageError(.tooLarge, "It is too long.")
            }
        } catch {
            let what = error.code == .tooLarge ? "longer than 32 MiB" : "no JSON object that Settee can hold"
            canonical = OldBody.empty
            attachments = JSONObject()
            withdrawn = nil
            problems = ["the body is \(what); an empty one is in its place"]
        }
    }

    private mutating func take(_ name: String, _ value: JSONValue) {
        switch name {
        case "_attachments":
            guard let entries = value.objectValue else {
                problems.append("the list of attachments is malformed, and was left out")
                return
            }
            attachments = entries
        case "_removed" where value.boolValue != nil: withdrawn = value
        case _ where OldBody.implied.contains(name): break
        default: problems.append("a member whose name begins with '_' is none that Settee can hold, and was left out")
        }
    }

    /// Returns the body in the form to be stored.
    ///
    /// - Parameter stubs: the attachments that are kept.
    func stored(with stubs: JSONObject) throws(StorageError) -> [UInt8] {
        guard !stubs.isEmpty || withdrawn != nil else { return canonical }
        guard var object = try JSONValue(parsing: canonical).objectValue else { return canonical }
        if !stubs.isEmpty { object["_attachments"] = .object(stubs) }
        if let withdrawn { object["_removed"] = withdrawn }
        return try object.canonicalBytes()
    }
}
