public import SetteeDocumentValues
public import SetteeEngine

/// What a client of `POST /_replicate` wants to have replicated. One of the two sides, at least, is a database of the
/// listener.
public struct ReplicationOrder: Sendable {
    /// A database of another server. Its members come from the client, an administrator of the listener.
    public struct Remote: Sendable {
        /// `http` or `https`, without user, password, query and fragment.
        public var url: String
        /// The login, from the URL or from `auth.basic`.
        public var user: String?
        public var password: String?
        /// To be sent with each request. They may hold secrets.
        public var headers: [(name: String, value: String)]
    }

    /// A side of the replication.
    public enum Side: Sendable {
        case database(Database, name: String)
        case remote(Remote)
    }

    /// A filter of a source that is here: one that the app has set, or a function of a design document.
    public struct SourceFilter: Sendable {
        /// Tells this function from others of its name.
        public var version: String
        public var function: Filter
    }

    public var source: Side
    public var target: Side
    /// Whether it goes on until it is cancelled.
    public var isContinuous: Bool
    /// Whether to make the target, if it is another server's and not there. One of the listener is there by then.
    public var createsTarget: Bool
    /// A filter of the source, as `design/name`, or a name that the source knows.
    public var filter: String?
    /// That filter, if the source is here.
    public var sourceFilter: SourceFilter?
    /// For the filter.
    public var parameters: JSONObject
    /// Only these documents.
    public var documentIDs: [String]?
    /// Only documents that this Mango selector selects.
    public var selector: JSONObject?
    /// Makes what judges, for the user, the revisions that a target of the listener gets; nil: the target is another
    /// server's.
    package var targetValidation: (@Sendable () throws -> Validation?)?
}

extension ReplicationOrder.Side {
    /// What answers and `_active_tasks` call it: never with a password.
    var name: String {
        switch self {
        case .database(_, let name): name
        case .remote(let remote): remote.url
        }
    }
}
