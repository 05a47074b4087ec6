/// A part of Settee with a log label of its own: `settee.` and the raw value.
public enum LogDomain: String, CaseIterable, Sendable {
    /// Opening, closing, creating, deleting, copying and replacing databases.
    case database = "Database"
    /// Transactions, changes and conflicts.
    case document = "Document"
    /// Attachments and their contents.
    case attachment = "Attachment"
    /// Map/reduce views and their indexes.
    case view = "View"
    /// Queries.
    case query = "Query"
    /// Files: compaction, generations, swept files, failures of the engine.
    case storage = "Storage"
    /// Changing a database's format or engine.
    case upgrade = "Upgrade"
    /// Validation functions and the revisions they refuse.
    case validation = "Validation"
    /// Documents that expire.
    case expiry = "Expiry"
    /// Observers, and commits of other processes.
    case change = "Change"
    /// Model objects.
    case model = "Model"
    /// The HTTP listener and its requests.
    case listener = "Listener"
    /// Replications: their states, runs, checkpoints, and documents that were not passed on.
    case sync = "Sync"
    /// What replications ask of sources about changes.
    case changeTracker = "ChangeTracker"
    /// The HTTP requests of replications.
    case remoteRequest = "RemoteRequest"

    /// The label of the domain's `Logger`, as `settee.Database`.
    public var label: String { "settee." + rawValue }

    /// The domain's index among all domains.
    var index: Int {
        switch self {
        case .database: 0
        case .document: 1
        case .attachment: 2
        case .view: 3
        case .query: 4
        case .storage: 5
        case .upgrade: 6
        case .validation: 7
        case .expiry: 8
        case .change: 9
        case .model: 10
        case .listener: 11
        case .sync: 12
        case .changeTracker: 13
        case .remoteRequest: 14
        }
    }
}
