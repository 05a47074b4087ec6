internal import NIOHTTP1
internal import SetteeCouchProtocol

/// A request to the server of an endpoint.
struct RemoteRequest: Sendable {
    /// What the path is relative to.
    enum Base: Sendable {
        case server
        case database
    }

    enum Body: Sendable {
        case json([UInt8])
        /// Made anew for each try.
        case pieces(contentType: String, length: UInt64, make: @Sendable () -> RelatedBody)
    }

    var method: HTTPMethod
    var base = Base.database
    /// What follows the slash behind the base, escaped.
    var path: String
    var query: [(name: String, value: String)] = []
    var headers: [(name: String, value: String)] = []
    var body: Body?
    /// Whether answers are left as they are encoded.
    var keepsEncoding = false

    init(_ method: HTTPMethod, _ path: String, _ query: [(name: String, value: String)] = []) {
        self.method = method
        self.path = path
        self.query = query
    }

    /// The path of a document, escaped. The slash of `_design/` and `_local/` is not.
    static func path(of id: String) -> String {
        for prefix in ["_design/", "_local/"] where id.utf8.starts(with: prefix.utf8) {
            return prefix + PercentCoding.encode(String(id.dropFirst(prefix.count)))
        }
        return PercentCoding.encode(id)
    }

    /// The URL without its query.
    func address(at endpoint: RemoteEndpoint) -> String {
        switch base {
        case .server: "\(endpoint.origin)\(endpoint.prefix)/\(path)"
        case .database: "\(endpoint)/\(path)"
        }
    }

    func url(at endpoint: RemoteEndpoint) -> String {
        let items = query.map { "\(PercentCoding.encode($0.name))=\(PercentCoding.encode($0.value))" }
        return address(at: endpoint) + (items.isEmpty ? "" : "?") + items.joined(separator: "&")
    }
}
