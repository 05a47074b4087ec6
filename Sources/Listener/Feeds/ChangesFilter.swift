internal import SetteeCouchProtocol
internal import SetteeDocumentValues
internal import SetteeEngine
internal import SetteeSelector
internal import StorageProtocol

/// Which changes a feed has.
enum ChangesFilter: Sendable {
    case all
    /// These documents.
    case documents(Set<DocumentID>)
    /// Design documents.
    case design
    /// Documents that a selector accepts.
    case selector(MangoSelector)
    /// Documents that a function of the app accepts.
    case named(NamedFilter, parameters: JSONObject)

    /// - Throws: `not_found` (404) for a filter that nobody has set; `bad_request` (400) for a selector that is none;
    ///   501 for filters of design documents.
    init(_ wanted: ChangesOptions, options: RequestOptions, of database: Database) throws {
        switch wanted.filter {
        case nil: self = .all
        case "_doc_ids": self = .documents(Set(wanted.documentIDs ?? []))
        case "_design": self = .design
        case "_selector":
            guard let selector = wanted.selector else { throw CouchError.badRequest("Selector must be specified.") }
            self = .selector(try MangoSelector(selector))
        case "_view": throw CouchError.notImplemented("The filter _view is not implemented.")
        case let name?:
            guard !name.contains("/") else {
                throw CouchError.notImplemented("Filters of design documents are not implemented.")
            }
            guard let filter = database.filter(named: name) else {
                throw CouchError(404, "not_found", "missing filter function")
            }
            self = .named(filter, parameters: options.parameters)
        }
    }

    /// Whether the body of a revision is needed to decide.
    var needsBody: Bool {
        switch self {
        case .selector, .named: true
        case .all, .documents, .design: false
        }
    }

    /// - Parameter row: With its body if it is needed.
    func accepts(_ row: DocumentRow) throws -> Bool {
        switch self {
        case .all: return true
        case .documents(let ids): return ids.contains(row.documentID)
        case .design: return row.documentID.string.hasPrefix("_design/")
        case .selector(let selector):
            guard let json = row.json else { return false }
            return try selector.matches(
                unsafe json.span.bytes,
                id: row.documentID,
                revision: row.revisionID,
                isDeleted: row.isDeleted
            )
        case .named(let filter, let parameters):
            guard let revision = row.revision else { return false }
            return try filter.function(revision, parameters)
        }
    }
}
