internal import Crypto
internal import SetteeCouchProtocol
internal import SetteeDocumentValues

/// The body of `POST /_replicate`.
struct ReplicationRequest: Sendable {
    var source: ReplicationSide
    var target: ReplicationSide
    var isContinuous: Bool
    var createsTarget: Bool
    var filter: String?
    var parameters: JSONObject
    var documentIDs: [String]?
    var selector: JSONObject?

    /// - Throws: `bad_request` (400).
    init(_ members: JSONObject) throws(CouchError) {
        source = try ReplicationSide(members["source"], "source")
        target = try ReplicationSide(members["target"], "target")
        if case .remote = source, case .remote = target {
            throw .badRequest("`source` or `target` must be a database of this server.")
        }
        isContinuous = try ReplicationRequest.flag("continuous", members)
        createsTarget = try ReplicationRequest.flag("create_target", members)
        filter = try ReplicationRequest.member("filter", members, "text") { $0.stringValue }
        parameters = try ReplicationRequest.member("query_params", members, "an object") { $0.objectValue } ?? [:]
        documentIDs = try ReplicationRequest.member("doc_ids", members, "an array of text") { value in
            let ids = value.arrayValue?.map(\.stringValue)
            return ids?.contains(nil) == false ? ids?.compactMap { $0 } : nil
        }
        selector = try ReplicationRequest.member("selector", members, "an object") { $0.objectValue }
        guard [filter != nil, documentIDs != nil, selector != nil].count(where: \.self) <= 1 else {
            throw .badRequest("`filter`, `doc_ids` and `selector` exclude each other.")
        }
    }

    static func flag(_ name: String, _ members: JSONObject) throws(CouchError) -> Bool {
        try member(name, members, "true or false") { $0.boolValue } ?? false
    }

    private static func member<R>(
        _ name: String,
        _ members: JSONObject,
        _ kind: String,
        _ read: (JSONValue) -> R?
    ) throws(CouchError) -> R? {
        guard let value = members[name], !value.isNull else { return nil }
        guard let found = read(value) else { throw .badRequest("`\(name)` must be \(kind).") }
        return found
    }

    /// The same for requests that order the same: of logins only the users count, of headers nothing.
    var id: String {
        func identity(_ side: ReplicationSide) -> JSONValue {
            switch side {
            case .database(let name): [JSONValue.string(name)]
            case .remote(let remote): [.string(remote.url), remote.user.map { .string($0) } ?? .null]
            }
        }
        let order: JSONValue = [
            identity(source), identity(target), filter.map { .string($0) } ?? .null, .object(parameters),
            documentIDs.map { .array($0.map { .string($0) }) } ?? .null, selector.map { .object($0) } ?? .null,
        ]
        // Values that came as JSON can be written as JSON.
        let digest = SHA256.hash(data: (try? order.canonicalBytes()) ?? [])
        let digits = Array("0123456789abcdef")
        let text = String(digest.prefix(16).flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] })
        return text + (isContinuous ? "+continuous" : "")
    }
}
