internal import SetteeDocumentValues

/// A question about changes.
struct ChangesQuery: Sendable {
    /// Only what comes after; nil: from the beginning.
    var since: JSONValue?
    /// The highest number of rows.
    var limit: Int
    /// How long to wait for the first row; nil: not at all.
    var wait: Duration?
    /// What the peer leaves out.
    var filter: FeedFilter?

    /// Options of the protocol that decide which rows come, and how: no filter can have parameters of these names.
    static let reservedNames: Set<String> = [
        "since", "limit", "feed", "filter", "style", "heartbeat", "timeout", "descending", "include_docs",
        "attachments", "att_encoding_info", "conflicts", "seq_interval", "last-event-id",
    ]
}

/// Which changes a peer is to tell.
enum FeedFilter: Sendable, Equatable {
    case documentIDs([String])
    /// A Mango selector.
    case selector(JSONObject)
    /// Channels of Sync Gateway.
    case channels([String])
    /// A filter of the peer, as `design/name`, with its parameters.
    case named(String, JSONObject)
}
