internal import HTTPTypes
internal import SetteeCouchProtocol
internal import SetteeEngine
internal import StorageProtocol

/// One request on its way to its answer. The rooms add the answers of their routes.
struct Exchange: Sendable {
    let request: ListenerRequest
    let body: BodyReader
    let core: ListenerCore
    let target: RequestTarget
    let route: Route
    /// Who the client is.
    let access: Access
    /// What its body takes.
    let memory: RequestMemory
    /// From the query.
    let options: RequestOptions

    init(
        _ request: ListenerRequest,
        _ body: BodyReader,
        _ core: ListenerCore,
        _ target: RequestTarget,
        _ route: Route,
        _ access: Access
    ) {
        self.request = request
        self.body = body
        self.core = core
        self.target = target
        self.route = route
        self.access = access
        memory = RequestMemory(core.memory)
        options = RequestOptions(query: target.query)
    }

    var method: HTTPRequest.Method { request.head.method }

    /// Whether only the head of the answer is wanted.
    var isRead: Bool { method == .get || method == .head }

    func header(_ name: HTTPField.Name) -> String? { request.head.headerFields[name] }

    /// The methods that the target takes. Several queries come in the body of a POST.
    private var methods: [HTTPRequest.Method] {
        guard target.segments.last == "queries" else { return route.methods }
        return switch route {
        case .databaseResource: [.post]
        case .view where target.segments.suffix(3).first == "_view": [.post]
        default: route.methods
        }
    }

    func answer() async throws -> Answer {
        guard methods.contains(method) else {
            let methods = methods.map(\.rawValue)
            var answer = Answer(.methodNotAllowed(methods))
            answer.headers[.allow] = methods.joined(separator: ", ")
            return answer
        }
        switch route {
        case .server(let resource): return try await server(resource)
        case .notImplemented(let name): throw CouchError.notImplemented("\(name) is not implemented.")
        case .database(let name): return try await databaseRoot(name)
        case .databaseResource(let name, let resource): return try await databaseResource(resource, of: database(name))
        case .document(let name, let id): return try await document(id, in: database(name))
        case .attachment(let name, let id, let attachment):
            return try await self.attachment(attachment, of: id, in: database(name))
        case .view(let name, let design, let view): return try await self.view(view, of: design, in: database(name))
        case .designInfo(let name, let design): return try await designInfo(design, in: database(name))
        case .index(let name, let design, let type, let index):
            return try await removeIndex(index, of: type, in: design, of: database(name))
        }
    }

    /// The database with a name, opened if need be, if the client may do with it what the route needs.
    func database(_ name: String) async throws -> ServedDatabase {
        let served: ServedDatabase
        let right = route.right(method)
        if let opened = try core.databases.inPlace(name, isRead: right == .databaseRead) {
            served = opened
        } else {
            served = try await core.threads.admit { [core] in try core.databases.database(name) }
        }
        try await require(right, in: served)
        return served
    }

    /// - Throws: `forbidden` (403) if the client may not.
    func require(_ right: AccessRight, in served: ServedDatabase) async throws {
        // What `_security` says is not for administrators.
        guard !access.user.isAdmin else { return try access.require(right) }
        try access.require(right, in: try await blocking { try served.security() })
    }

    /// Checks that the client may write a document, whose ID did not come with the path.
    func requireWrite(of id: String, in served: ServedDatabase) async throws {
        try await require(Route.right(toWrite: id), in: served)
    }

    /// Runs a call of the database on a thread for those.
    func blocking<R: Sendable>(_ work: @escaping @Sendable () throws -> R) async throws -> R {
        try await core.threads.admit(work)
    }

    /// The ID of a document that a path names.
    ///
    /// - Throws: `illegal_docid` (400), in CouchDB's words for IDs that begin with `_`.
    static func documentID(_ text: String) throws(CouchError) -> DocumentID {
        if text.utf8.first == UInt8(ascii: "_"), !text.hasPrefix("_design/"), !text.hasPrefix("_local/") {
            throw .illegalDocumentID("Only reserved document ids may start with underscore.")
        }
        do throws(StorageError) {
            return try DocumentID(text)
        } catch {
            throw CouchError(error)
        }
    }

    /// Whether the client has what an answer with this tag would send.
    func hasCurrent(_ tag: EntityTag) throws(CouchError) -> Bool {
        guard isRead, let text = header(.ifNoneMatch) else { return false }
        return try EntityTagCondition(header: text).matchesWeakly(tag)
    }
}
