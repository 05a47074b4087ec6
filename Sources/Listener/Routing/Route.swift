internal import SetteeCouchProtocol
internal import StorageProtocol

/// What a request's path names.
enum Route: Hashable, Sendable {
    case server(ServerResource)
    case database(String)
    case databaseResource(String, DatabaseResource)
    /// A document, a design document (`_design/NAME`) or a local one (`_local/NAME`).
    case document(String, id: String)
    case attachment(String, id: String, name: String)
    case view(String, design: String, view: String)
    case designInfo(String, design: String)
    /// An index of `_index`, by its design document, its type and its name.
    case index(String, design: String, type: String, name: String)
    /// What this server does not do, though CouchDB does.
    case notImplemented(String)

    /// Resources of the server.
    enum ServerResource: String, CaseIterable, Sendable {
        case root = ""
        case allDatabases = "_all_dbs"
        case databasesInfo = "_dbs_info"
        case uuids = "_uuids"
        case up = "_up"
        case activeTasks = "_active_tasks"
        case session = "_session"
        case replicate = "_replicate"
        case metrics = "_node/_local/_prometheus"

        /// The segments of its path.
        var path: [String] { rawValue.split(separator: "/").map(String.init) }
    }

    /// Resources of a database.
    enum DatabaseResource: String, CaseIterable, Sendable {
        case allDocuments = "_all_docs"
        case designDocuments = "_design_docs"
        case localDocuments = "_local_docs"
        case bulkDocuments = "_bulk_docs"
        case bulkGet = "_bulk_get"
        case changes = "_changes"
        case revisionsDiff = "_revs_diff"
        case missingRevisions = "_missing_revs"
        case ensureFullCommit = "_ensure_full_commit"
        case compact = "_compact"
        case viewCleanup = "_view_cleanup"
        case purge = "_purge"
        case revisionsLimit = "_revs_limit"
        case security = "_security"
        case temporaryView = "_temp_view"
        case find = "_find"
        case explain = "_explain"
        case indexes = "_index"
        case removedIndexes = "_index/_bulk_delete"

        /// Whether `/queries` behind it asks for several listings at once.
        var takesQueries: Bool { self == .allDocuments || self == .designDocuments || self == .localDocuments }
    }
}

extension Route {
    /// Reads the path of a request.
    ///
    /// - Throws: `not_found` (404) for a path that names nothing; `illegal_database_name` (400).
    init(_ segments: [TargetText]) throws(CouchError) {
        let names = segments.map(\.string)
        guard let first = names.first else {
            self = .server(.root)
            return
        }
        if first.utf8.first == UInt8(ascii: "_") {
            guard let resource = ServerResource.allCases.first(where: { $0.path == names }) else { throw .missing }
            self = .server(resource)
            return
        }
        guard names.count > 1 else {
            self = .database(first)
            return
        }
        self = try Route.inside(first, Array(names.dropFirst()))
    }

    /// - Parameter names: What follows the name of the database, at least one.
    private static func inside(_ database: String, _ names: [String]) throws(CouchError) -> Route {
        switch names[0] {
        case "_design", "_local":
            guard names.count > 1 else { throw .missing }
            if names[0] == "_local" {
                guard names.count == 2 else { throw .missing }
                return .document(database, id: "_local/" + names[1])
            }
            return try design(database, names[1], Array(names.dropFirst(2)))
        case "_index" where names.count > 2: return try index(database, Array(names.dropFirst()))
        case "_search", "_search_analyze", "_nouveau", "_partition", "_shards":
            return .notImplemented(names[0])
        default: break
        }
        guard names[0].utf8.first == UInt8(ascii: "_") else { return path(database, names[0], names.dropFirst()) }
        if names[0].hasPrefix("_design/") || names[0].hasPrefix("_local/") {
            // The slash of the ID was escaped.
            if names[0].hasPrefix("_local/") {
                guard names.count == 1 else { throw .missing }
                return .document(database, id: names[0])
            }
            return try design(database, String(names[0].dropFirst("_design/".count)), Array(names.dropFirst()))
        }
        if names == ["_index", "_bulk_delete"] { return .databaseResource(database, .removedIndexes) }
        guard let resource = DatabaseResource(rawValue: names[0]) else { throw .missing }
        if names.count == 2, names[1] == "queries", resource.takesQueries {
            return .databaseResource(database, resource)
        }
        // `_compact/DESIGN` compacts the views of a design document.
        guard names.count == 1 || (resource == .compact && names.count == 2) else { throw .missing }
        return .databaseResource(database, resource)
    }

    private static func design(_ database: String, _ name: String, _ rest: [String]) throws(CouchError) -> Route {
        switch rest.first {
        case "_view" where rest.count == 2: return .view(database, design: name, view: rest[1])
        case "_view" where rest.count == 3 && rest[2] == "queries":
            return .view(database, design: name, view: rest[1])
        case "_info" where rest.count == 1: return .designInfo(database, design: name)
        case "_show", "_list", "_update", "_rewrite", "_search", "_search_info", "_nouveau":
            return .notImplemented(rest[0])
        default: return path(database, "_design/" + name, rest[...])
        }
    }

    /// - Parameter names: `_design/NAME/TYPE/INDEX`, or the same without `_design`, or with its slash escaped.
    private static func index(_ database: String, _ names: [String]) throws(CouchError) -> Route {
        let rest = names[0] == "_design" ? names.dropFirst() : names[...]
        guard rest.count == 3, let design = rest.first, let name = rest.last else { throw .missing }
        let isWhole = names[0] != "_design" && design.hasPrefix("_design/")
        return .index(
            database,
            design: isWhole ? design : "_design/" + design,
            type: rest[rest.startIndex + 1],
            name: name
        )
    }

    /// Names of attachments may have slashes.
    private static func path(_ database: String, _ id: String, _ rest: ArraySlice<String>) -> Route {
        rest.isEmpty
            ? .document(database, id: id) : .attachment(database, id: id, name: rest.joined(separator: "/"))
    }

    /// The name of the database that the path is about.
    var database: String? {
        switch self {
        case .server, .notImplemented: nil
        case .database(let name), .databaseResource(let name, _), .document(let name, _), .attachment(let name, _, _),
            .view(let name, _, _), .designInfo(let name, _), .index(let name, _, _, _):
            name
        }
    }
}
