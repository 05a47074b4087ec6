internal import HTTPTypes

extension Route {
    /// What a request needs, by its path and method.
    func right(_ method: HTTPRequest.Method) -> AccessRight {
        let isRead = method == .get || method == .head
        switch self {
        case .server(let resource): return resource.right
        case .database:
            if isRead { return .databaseRead }
            return method == .post ? .databaseWrite : .serverAdmin
        case .databaseResource(_, let resource): return resource.right(isRead: isRead)
        case .document(_, let id), .attachment(_, let id, _):
            // The document that a copy goes to is checked later, when its ID is known.
            if isRead || method == .copy { return .databaseRead }
            return Route.right(toWrite: id)
        case .view, .designInfo: return .databaseRead
        // It changes a design document.
        case .index: return .databaseAdmin
        // The answer, 501, says nothing about any database.
        case .notImplemented: return .serverRead
        }
    }

    /// What it takes to write a document.
    static func right(toWrite id: String) -> AccessRight {
        if id.hasPrefix("_local/") { return .localWrite }
        return id.hasPrefix("_design/") ? .databaseAdmin : .databaseWrite
    }
}

extension Route.ServerResource {
    fileprivate var right: AccessRight {
        switch self {
        case .root, .up, .session: .open
        case .allDatabases, .databasesInfo, .uuids: .serverRead
        case .activeTasks, .metrics: .serverInspect
        case .replicate: .serverAdmin
        }
    }
}

extension Route.DatabaseResource {
    fileprivate func right(isRead: Bool) -> AccessRight {
        switch self {
        case .allDocuments, .designDocuments, .localDocuments, .bulkGet, .changes, .revisionsDiff, .missingRevisions,
            .ensureFullCommit, .find, .explain:
            .databaseRead
        case .bulkDocuments: .databaseWrite
        case .compact, .viewCleanup, .purge, .temporaryView, .removedIndexes: .databaseAdmin
        case .revisionsLimit, .security, .indexes: isRead ? .databaseRead : .databaseAdmin
        }
    }
}
