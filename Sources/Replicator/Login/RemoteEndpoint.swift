public import Foundation
public import StorageProtocol

/// A database behind HTTP: its URL, whom to trust there, and how long to wait.
///
/// ```swift
/// var endpoint = try RemoteEndpoint("https://sync.example/couch/people")
/// endpoint.trust.pins = [try CertificatePin("AB:CD:...")]
/// ```
public struct RemoteEndpoint: Sendable, CustomStringConvertible {
    /// Whom to trust over TLS, and the client's certificate.
    public var trust = ServerTrust()
    /// Headers that each request has, for proxies. They count as secrets.
    public var headers: [String: String] = [:]
    /// Whether secrets may be sent over HTTP to another computer, where everybody on the way can read them.
    public var allowsInsecureLogin = false
    /// How long a connection may take.
    public var connectTimeout = Duration.seconds(10)
    /// How long nothing may come from the server before a connection is given up.
    public var silenceTimeout = Duration.seconds(65)

    /// `https://host:port`, without a slash at the end.
    let origin: String
    /// What stands between the origin and the database's name, escaped, as `/couch`; mostly empty.
    let prefix: String
    /// The database's name, escaped.
    let database: String
    let usesTLS: Bool
    let isLoopback: Bool
    /// The user and password of the URL.
    let credentials: (user: String, password: String)?

    /// - Parameter url: The database's URL, with or without a slash at the end. A user and password in it become a
    ///   basic login, unless there is another.
    /// - Throws: `badParameter` (495) for what is no URL of a database over HTTP.
    public init(_ url: String) throws(StorageError) {
        guard let parts = URLComponents(string: url), let scheme = parts.scheme?.lowercased(),
            ["http", "https"].contains(scheme), let host = parts.encodedHost?.lowercased(), !host.isEmpty,
            parts.percentEncodedQuery == nil, parts.percentEncodedFragment == nil
        else { throw RemoteEndpoint.malformed }
        let segments = parts.percentEncodedPath.split(separator: "/")
        guard let database = segments.last, (1...65_535).contains(parts.port ?? 443) else {
            throw RemoteEndpoint.malformed
        }
        usesTLS = scheme == "https"
        let port = parts.port.flatMap { $0 == (scheme == "https" ? 443 : 80) ? nil : ":\($0)" } ?? ""
        origin = "\(scheme)://\(host)\(port)"
        prefix = segments.dropLast().map { "/" + $0 }.joined()
        self.database = String(database)
        isLoopback = RemoteEndpoint.isLoopback(host)
        credentials = parts.user.map { ($0, parts.password ?? "") }
    }

    /// - Throws: As `init(_: String)` does.
    public init(_ url: URL) throws(StorageError) { try self.init(url.absoluteString) }

    /// The URL without user and password. What the database is called in logs and events.
    public var description: String { "\(origin)\(prefix)/\(database)" }

    /// Whether a host is this computer in whatever way it is looked up: `0127.0.0.1` is 87.0.0.1 for some.
    static func isLoopback(_ host: String) -> Bool {
        if host == "localhost" || host == "[::1]" { return true }
        let numbers = host.split(separator: ".", omittingEmptySubsequences: false)
        return numbers.count == 4 && numbers[0] == "127"
            && numbers.allSatisfy { UInt8($0).map { String($0) } == String($0) }
    }

    private static var malformed: StorageError {
        StorageError(.badParameter, "The URL of a database is like https://host/name, without query and fragment.")
    }
}
