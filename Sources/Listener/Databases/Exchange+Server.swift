internal import HTTPTypes
internal import SetteeCouchProtocol
internal import SetteeDocumentValues
internal import SetteeEngine
internal import StorageProtocol

/// What the server answers about itself.
extension Exchange {
    func server(_ resource: Route.ServerResource) async throws -> Answer {
        switch resource {
        case .root: return welcome()
        case .up: return .json { $0.raw(#"{"status":"ok","seeds":{}}"#) }
        case .uuids: return try uuids()
        case .activeTasks: return activeTasks()
        case .allDatabases: return try await allDatabases()
        case .databasesInfo: return try await databasesInfo()
        case .session: return try await session()
        case .replicate: return try await replicate()
        case .metrics: return try metrics()
        }
    }

    /// The version is that of CouchDB whose API this is, because clients look at it.
    private func welcome() -> Answer {
        .json { text in
            text.raw(#"{"couchdb":"Welcome","version":"3.4.0","git_sha":"","uuid":"#)
            text.string(core.uuid)
            text.raw(#","features":[],"vendor":{"name":"Settee","version":"0.1.0"}}"#)
        }
    }

    private func uuids() throws(CouchError) -> Answer {
        let count = try options.count("count") ?? 1
        guard count <= 1_000 else { throw .badRequest("count parameter too large") }
        return .json(headers: [.cacheControl: "no-cache", .pragma: "no-cache"]) { text in
            text.raw(#"{"uuids":["#)
            for number in 0..<count {
                if number > 0 { text.raw(",") }
                text.string(Database.makeID().filter { $0 != "-" })
            }
            text.raw("]}")
        }
    }

    private func activeTasks() -> Answer {
        .json { text in
            text.raw("[")
            for (place, task) in core.tasks.all.enumerated() {
                if place > 0 { text.raw(",") }
                text.raw(#"{"type":"#)
                text.string(task.entry.kind)
                text.raw(#","database":"#)
                text.string(task.entry.database)
                text.raw(#","pid":"#)
                text.string("<0.\(task.number).0>")
                text.raw(#","started_on":"#)
                text.number(task.entry.began)
                text.raw(#","updated_on":"#)
                text.number(WallClock.seconds)
                for (name, value) in task.entry.details?() ?? [:] {
                    text.raw(",")
                    text.string(name)
                    text.raw(":")
                    text.value(value)
                }
                text.raw("}")
            }
            text.raw("]")
        }
    }

    private func session() async throws -> Answer {
        switch method {
        case .post:
            let body = try await collectBody(upTo: AccessPolicy.longestLoginBody)
            return .session(try await core.policy.logIn(body: body, AccessRequest(request), access))
        case .delete: return .session(core.policy.logOut(AccessRequest(request), access))
        default: return .json { $0.value(.object(core.policy.session(access))) }
        }
    }

    private func allDatabases() async throws -> Answer {
        let listing = try ListingOptions(options)
        var names = try await blocking { [core] in try core.databases.names() }
        if listing.isDescending { names.reverse() }
        func isBefore(_ a: String, _ b: String) -> Bool {
            listing.isDescending ? b.utf8.lexicographicallyPrecedes(a.utf8) : a.utf8.lexicographicallyPrecedes(b.utf8)
        }
        if let start = (listing.key ?? listing.startKey)?.stringValue { names.removeAll { isBefore($0, start) } }
        if let end = (listing.key ?? listing.endKey)?.stringValue {
            names.removeAll { isBefore(end, $0) || (!listing.includesEnd && $0 == end) }
        }
        let rows = names.dropFirst(listing.skip).prefix(listing.limit ?? .max)
        return .json { text in
            text.raw("[")
            for (place, name) in rows.enumerated() {
                if place > 0 { text.raw(",") }
                text.string(name)
            }
            text.raw("]")
        }
    }

    private func databasesInfo() async throws -> Answer {
        var names: [String]
        if method == .post {
            guard let keys = try await jsonObject()["keys"]?.arrayValue else {
                throw CouchError.badRequest("`keys` member must exist.")
            }
            guard keys.count <= 100 else { throw CouchError.badRequest("`keys` has more than 100 names.") }
            names = keys.compactMap(\.stringValue)
        } else {
            names = try await blocking { [core] in try core.databases.names() }
        }
        let found = try await blocking { [core, access, names] in
            names.map { name in
                let information = Result {
                    let served = try core.databases.database(name)
                    if !access.user.isAdmin { try access.require(.databaseRead, in: try served.security()) }
                    return try Exchange.information(served, core.tasks)
                }
                return (name, information)
            }
        }
        return .json { text in
            text.raw("[")
            for (place, (name, information)) in found.enumerated() {
                if place > 0 { text.raw(",") }
                text.raw(#"{"key":"#)
                text.string(name)
                switch information {
                case .success(let information):
                    text.raw(#","info":"#)
                    text.raw(information.bytes)
                case .failure(let error):
                    text.raw(#","error":"#)
                    text.string((error as? CouchError)?.error ?? "not_found")
                }
                text.raw("}")
            }
            text.raw("]")
        }
    }
}

extension HTTPField.Name {
    fileprivate static let pragma = HTTPField.Name("Pragma")!
}

extension Answer {
    fileprivate static func session(_ answer: AccessPolicy.SessionAnswer) -> Answer {
        .json(headers: answer.headers) { $0.value(.object(answer.body)) }
    }
}
