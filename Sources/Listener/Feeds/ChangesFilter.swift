internal import SetteeCouchProtocol
internal import SetteeDesignDocuments
internal import SetteeDocumentValues
internal import SetteeEngine
internal import SetteeExpressions
internal import SetteeJavaScript
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
    /// Documents that a function of a design document accepts. Its second argument is the request.
    case function(DesignFilter, request: [UInt8])

    /// Blocks.
    ///
    /// - Parameter request: What functions of design documents learn about the request.
    /// - Throws: `not_found` (404) for a filter that nobody has set; `bad_request` (400) for a selector that is none,
    ///   or no name of a view; what is wrong with a design document.
    init(
        _ wanted: ChangesOptions,
        options: RequestOptions,
        of served: ServedDatabase,
        request: () throws -> [UInt8]
    ) throws {
        switch wanted.filter {
        case nil: self = .all
        case "_doc_ids": self = .documents(Set(wanted.documentIDs ?? []))
        case "_design": self = .design
        case "_selector":
            guard let selector = wanted.selector else { throw CouchError.badRequest("Selector must be specified.") }
            self = .selector(try MangoSelector(selector))
        case "_view":
            guard let view = wanted.view else {
                throw CouchError.badRequest("`view` filter parameter is not provided.")
            }
            guard let (design, name) = ChangesFilter.parts(of: view) else {
                throw CouchError.badRequest("`view` must be of the form `designname/viewname`")
            }
            self = .function(try served.designs.viewFilter(name, of: design), request: try request())
        case let name?:
            if let filter = served.database.filter(named: name) {
                self = .named(filter, parameters: options.parameters)
            } else if let (design, name) = ChangesFilter.parts(of: name) {
                self = .function(try served.designs.filter(name, of: design), request: try request())
            } else {
                throw CouchError.noFilter
            }
        }
    }

    /// The names of a design document and of a function in it.
    static func parts(of text: String) -> (design: String, name: String)? {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, parts.allSatisfy({ !$0.isEmpty }) else { return nil }
        return (String(parts[0]), String(parts[1]))
    }

    /// Whether the body of a revision is needed to decide.
    var needsBody: Bool {
        switch self {
        case .selector, .named, .function: true
        case .all, .documents, .design: false
        }
    }

    /// Whether it runs JavaScript. That may take long.
    var isFunction: Bool { if case .function = self { true } else { false } }
}
