internal import HTTPTypes

extension Route {
    /// The methods that the path takes; HEAD wherever there is GET.
    var methods: [HTTPRequest.Method] {
        switch self {
        case .server(let resource): resource.methods
        case .database: [.get, .head, .post, .put, .delete]
        case .databaseResource(_, let resource): resource.methods
        case .document(_, let id) where id.hasPrefix("_local/"): [.get, .head, .put, .delete, .copy]
        case .document: [.get, .head, .put, .delete, .copy]
        case .attachment: [.get, .head, .put, .delete]
        case .view: [.get, .head, .post]
        case .designInfo: [.get, .head]
        case .index: [.delete]
        case .notImplemented: [.get, .head, .post, .put, .delete]
        }
    }
}

extension Route.ServerResource {
    fileprivate var methods: [HTTPRequest.Method] {
        switch self {
        case .root, .allDatabases, .uuids, .up, .activeTasks, .metrics: [.get, .head]
        case .databasesInfo: [.get, .head, .post]
        case .session: [.get, .head, .post, .delete]
        case .replicate: [.post]
        }
    }
}

extension Route.DatabaseResource {
    fileprivate var methods: [HTTPRequest.Method] {
        switch self {
        case .allDocuments, .designDocuments, .localDocuments, .changes: [.get, .head, .post]
        case .bulkDocuments, .bulkGet, .revisionsDiff, .missingRevisions, .ensureFullCommit, .compact, .viewCleanup,
            .purge, .temporaryView, .find, .explain, .removedIndexes:
            [.post]
        case .indexes: [.get, .head, .post]
        case .revisionsLimit, .security: [.get, .head, .put]
        }
    }
}

extension HTTPRequest.Method {
    /// CouchDB's method: copies a document to the ID that the header `Destination` names.
    static let copy = HTTPRequest.Method("COPY")!
}
