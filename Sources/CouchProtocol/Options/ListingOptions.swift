public import SetteeDocumentValues

/// The options of `_all_docs` and its relatives, and of views.
///
/// Facts: CouchDB 3, `parse_param` in src/couch_mrview/src/couch_mrview_http.erl. `inclusive_start`, `include_deleted`,
/// `include_conflicts` and `only_conflicts` are Couchbase Lite's. Whether options go together is for the query to say.
public struct ListingOptions: Sendable {
    /// The one key; it takes the place of both ends.
    public var key: JSONValue?
    /// The keys, in the order of the answer.
    public var keys: [JSONValue]?
    public var startKey: JSONValue?
    public var endKey: JSONValue?
    /// Among rows with the start key, the first document: any text, of which the bytes count.
    public var startDocumentID: String?
    /// Among rows with the end key, the last document: any text, of which the bytes count.
    public var endDocumentID: String?
    public var includesStart = true
    public var includesEnd = true
    /// The highest number of rows; nil for no limit.
    public var limit: Int?
    public var skip = 0
    public var isDescending = false
    public var includesDocuments = false
    public var includesAttachments = false
    public var includesEncodingInfo = false
    public var includesConflicts = false
    /// The sequence that the rows are from.
    public var includesSequence = false
    /// Nil if the request does not say; then a view with a reduction uses it.
    public var reduces: Bool?
    /// One row for each key. Not with `groupLevel`.
    public var groups = false
    /// How many elements of array keys make a group; nil if the request does not say.
    public var groupLevel: Int?
    public var update = IndexUpdate.before
    public var includesDeleted = false
    public var showsConflicts = false
    public var onlyConflicts = false

    /// The defaults.
    public init() {}

    /// - Throws: `query_parse_error` or `bad_request` (400) for a malformed option, in CouchDB's words.
    public init(_ options: RequestOptions) throws(CouchError) {
        key = try options.json("key")
        if let value = try options.json("keys") {
            guard let keys = value.arrayValue else { throw .badRequest("`keys` member must be an array.") }
            self.keys = keys
        }
        startKey = try options.json("start_key")
        endKey = try options.json("end_key")
        startDocumentID = try options.text("start_key_doc_id")
        endDocumentID = try options.text("end_key_doc_id")
        includesStart = try options.flag("inclusive_start") ?? true
        includesEnd = try options.flag("inclusive_end") ?? true
        limit = try options.count("limit")
        skip = try options.count("skip") ?? 0
        isDescending = try options.flag("descending") ?? false
        includesDocuments = try options.flag("include_docs") ?? false
        includesAttachments = try options.flag("attachments") ?? false
        includesEncodingInfo = try options.flag("att_encoding_info") ?? false
        includesConflicts = try options.flag("conflicts") ?? false
        includesSequence = try options.flag("update_seq") ?? false
        reduces = try options.flag("reduce")
        groups = try options.flag("group") ?? false
        groupLevel = try options.count("group_level")
        update = try ListingOptions.update(options)
        includesDeleted = try options.flag("include_deleted") ?? false
        showsConflicts = try options.flag("include_conflicts") ?? false
        onlyConflicts = try options.flag("only_conflicts") ?? false
    }

    /// The lowest and the highest key.
    public var ends: (low: JSONValue?, high: JSONValue?) {
        let (start, end) = (key ?? startKey, key ?? endKey)
        return isDescending ? (end, start) : (start, end)
    }

    /// - Throws: `query_parse_error` (400) if there are keys and a range, in CouchDB's words.
    public func requireNoRangeBesideKeys() throws(CouchError) {
        guard keys?.isEmpty ?? true || key == nil && startKey == nil && endKey == nil else {
            throw .queryParse("`keys` is incompatible with `key`, `start_key` and `end_key`")
        }
    }

    private static func update(_ options: RequestOptions) throws(CouchError) -> IndexUpdate {
        if let flag = try? options.flag("update") { return flag ? .before : .never }
        if let text = try options.text("update") {
            guard let update = IndexUpdate(rawValue: text) else { throw RequestOptions.invalid("update") }
            return update
        }
        switch try options.text("stale") {
        case nil: return .before
        case "ok": return .never
        case "update_after": return .after
        default: throw RequestOptions.invalid("stale")
        }
    }
}
