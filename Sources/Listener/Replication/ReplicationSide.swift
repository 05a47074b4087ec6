internal import SetteeCouchProtocol
internal import SetteeDocumentValues

/// A side of a replication as a client names it, before its database is opened.
enum ReplicationSide: Sendable {
    case database(String)
    case remote(ReplicationOrder.Remote)

    /// Reads `source` or `target`: a name, a URL, or an object with `url`, `headers` and `auth`.
    ///
    /// - Throws: `bad_request` (400).
    init(_ value: JSONValue?, _ member: StaticString) throws(CouchError) {
        let object = value?.objectValue
        guard let text = value?.stringValue ?? object?["url"]?.stringValue, !text.isEmpty else {
            throw .badRequest("`\(member)` must be a database name, a URL, or an object with `url`.")
        }
        guard text.utf8.contains(UInt8(ascii: ":")) else {
            self = .database(text)
            return
        }
        var remote = try ReplicationSide.remote(text, member)
        if let login = object?["auth"]?.objectValue?["basic"]?.objectValue {
            guard let user = login["username"]?.stringValue, let password = login["password"]?.stringValue else {
                throw .badRequest("`auth.basic` of `\(member)` must have `username` and `password`.")
            }
            (remote.user, remote.password) = (user, password)
        }
        for (name, value) in object?["headers"]?.objectValue ?? JSONObject() {
            guard let value = value.stringValue, ReplicationSide.isHeader(name, value) else {
                throw .badRequest("`headers` of `\(member)` must be names of headers with text.")
            }
            remote.headers.append((name, value))
        }
        self = .remote(remote)
    }

    /// Takes the login out of a URL.
    private static func remote(_ text: String, _ member: StaticString) throws(CouchError) -> ReplicationOrder.Remote {
        let refusal = CouchError.badRequest("`\(member)` must be an http or https URL without query and fragment.")
        let lower = text.lowercased()
        guard let scheme = ["http://", "https://"].first(where: { lower.hasPrefix($0) }) else { throw refusal }
        let isPlain = text.utf8.allSatisfy { 0x21...0x7E ~= $0 && $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
        guard isPlain else { throw refusal }
        let rest = text.dropFirst(scheme.count)
        let authority = rest.prefix { $0 != "/" }
        let host = authority.split(separator: "@", omittingEmptySubsequences: false).last ?? ""
        guard !host.isEmpty else { throw refusal }
        var remote = ReplicationOrder.Remote(url: scheme + host + rest.dropFirst(authority.count), headers: [])
        guard host.utf8.count < authority.utf8.count else { return remote }
        let login = authority.dropLast(host.count + 1).split(
            separator: ":",
            maxSplits: 1,
            omittingEmptySubsequences: false
        )
        remote.user = try PercentCoding.decode(Array(login[0].utf8)[...])
        remote.password = try login.count > 1 ? PercentCoding.decode(Array(login[1].utf8)[...]) : ""
        return remote
    }

    private static func isHeader(_ name: String, _ value: String) -> Bool {
        !name.isEmpty
            && name.utf8.allSatisfy { 0x21...0x7E ~= $0 && $0 != UInt8(ascii: ":") }
            && value.utf8.allSatisfy { $0 == 0x09 || 0x20...0x7E ~= $0 }
    }
}
