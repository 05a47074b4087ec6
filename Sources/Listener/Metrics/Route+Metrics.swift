extension Route {
    /// The kind of route, for metrics.
    var kind: String {
        switch self {
        case .server(.root): "/"
        case .server(.metrics): "_prometheus"
        case .server(let resource): resource.rawValue
        case .database: "db"
        case .databaseResource(_, .removedIndexes), .index: "_index"
        case .databaseResource(_, let resource): resource.rawValue
        case .document(_, let id):
            id.hasPrefix("_local/") ? "_local" : id.hasPrefix("_design/") ? "_design" : "document"
        case .attachment: "attachment"
        case .view: "_view"
        case .designInfo: "_info"
        case .notImplemented: "not_implemented"
        }
    }
}
