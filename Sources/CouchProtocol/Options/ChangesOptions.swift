public import SetteeDocumentValues
public import StorageProtocol

/// The options of `_changes`, from the query and from the members of a POST's body.
///
/// Facts: CouchDB 3, `parse_changes_query` in src/chttpd/src/chttpd_db.erl. CouchDB ignores flags other than `true`;
/// here, they are errors.
public struct ChangesOptions: Sendable {
    public enum Style: String, Sendable {
        /// The winner of each document.
        case mainOnly = "main_only"
        /// All leaves of each document.
        case allDocuments = "all_docs"
    }

    public var feed = ChangesFeed.normal
    public var since = ChangesSince.sequence(0)
    public var style = Style.mainOnly
    /// The highest number of rows; nil for no limit. 0 asks for `pending` alone.
    public var limit: Int?
    public var isDescending = false
    /// A filter's name: `design/name`, `_doc_ids`, `_selector`, `_design`, `_view`, or one of the app.
    public var filter: String?
    /// For the filter `_view`: `design/name`.
    public var view: String?
    /// For the filter `_doc_ids`. IDs that no document can have are left out.
    public var documentIDs: [DocumentID]?
    /// For the filter `_selector`.
    public var selector: JSONValue?
    public var includesDocuments = false
    public var includesAttachments = false
    public var includesEncodingInfo = false
    public var includesConflicts = false
    /// No deleted documents (Sync Gateway's option).
    public var isActiveOnly = false
    /// Only each n-th row needs a sequence, at least 1; nil for all.
    public var sequenceInterval: Int?
    /// The time between signs of life, in milliseconds, at least 1; nil for none.
    public var heartbeat: Int?
    /// The time after which a feed without a change ends, in milliseconds; nil for the server's own.
    public var timeout: Int?

    /// What `heartbeat=true` stands for, in milliseconds.
    public static let defaultHeartbeat = 60_000

    /// The defaults.
    public init() {}

    /// - Throws: `query_parse_error` or `bad_request` (400) for a malformed option, in CouchDB's words.
    public init(_ options: RequestOptions) throws(CouchError) {
        feed = try ChangesOptions.feed(options)
        since = try ChangesOptions.since(options)
        if let name = try options.text("style") {
            guard let style = Style(rawValue: name) else { throw RequestOptions.invalid("style") }
            self.style = style
        }
        limit = try options.count("limit")
        isDescending = try options.flag("descending") ?? false
        filter = try options.text("filter")
        view = try options.text("view")
        documentIDs = try ChangesOptions.documentIDs(options)
        selector = try options.json("selector")
        includesDocuments = try options.flag("include_docs") ?? false
        includesAttachments = try options.flag("attachments") ?? false
        includesEncodingInfo = try options.flag("att_encoding_info") ?? false
        includesConflicts = try options.flag("conflicts") ?? false
        isActiveOnly = try options.flag("active_only") ?? false
        sequenceInterval = try options.count("seq_interval")
        if sequenceInterval == 0 { throw .badRequest("invalid_seq_interval") }
        heartbeat = try ChangesOptions.heartbeat(options)
        timeout = try options.count("timeout")
    }

    private static func feed(_ options: RequestOptions) throws(CouchError) -> ChangesFeed {
        guard let name = try options.text("feed") else { return .normal }
        if name == "live" { return .continuous }
        guard let feed = ChangesFeed(rawValue: name) else {
            throw .badRequest("Supported `feed` types: normal, continuous, live, longpoll, eventsource")
        }
        return feed
    }

    private static func since(_ options: RequestOptions) throws(CouchError) -> ChangesSince {
        // Browsers repeat the last sequence under this name.
        for name in ["last-event-id", "since"] as [TargetText] {
            if let value = options.number(name) {
                guard let sequence = UInt64(exactly: value) else { throw ChangesSince.malformed }
                return .sequence(sequence)
            }
            if let text = try options.text(name) { return try ChangesSince(text) }
        }
        return .sequence(0)
    }

    private static func documentIDs(_ options: RequestOptions) throws(CouchError) -> [DocumentID]? {
        guard let value = try options.json("doc_ids") else { return nil }
        let refusal = CouchError.badRequest("`doc_ids` filter parameter is not a list of doc ids.")
        guard let elements = value.arrayValue else { throw refusal }
        var ids: [DocumentID] = []
        for element in elements {
            guard let text = element.stringValue else { throw refusal }
            if let id = try? DocumentID(text) { ids.append(id) }
        }
        return ids
    }

    private static func heartbeat(_ options: RequestOptions) throws(CouchError) -> Int? {
        if let isOn = try? options.flag("heartbeat") { return isOn ? defaultHeartbeat : nil }
        guard let time = try? options.count("heartbeat") else {
            guard options.isGiven("heartbeat") else { return nil }
            throw .badRequest("Invalid heartbeat value. Expecting a positive integer value (in milliseconds).")
        }
        guard time > 0 else {
            throw .badRequest("The heartbeat value should be a positive integer (in milliseconds).")
        }
        return time
    }
}
