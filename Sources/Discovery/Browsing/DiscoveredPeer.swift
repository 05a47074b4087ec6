/// A server that says of itself that it serves databases of Settee, on a network that this computer is on.
///
/// Anybody on that network can say so, under any name. The parts are checked for their form, so that they can be
/// printed and used in a URL, and for nothing else: who the peer is shows when it is connected to, by its certificate
/// or a login.
public struct DiscoveredPeer: Hashable, Sendable {
    /// The name that it is advertised under: 1 to 63 bytes, no control characters. Unique on one network.
    public var name: String
    /// The computer's name, such as `studio.local`.
    public var host: String
    /// The computer's addresses as text, those first that others can reach best; at least one. Link-local addresses of
    /// IPv6 end with the network interface: `fe80::1%eth0`.
    public var addresses: [String]
    /// From 1 to 65535.
    public var port: Int
    /// The path of the server's root, which begins with a slash: `/` for Settee's own listener.
    public var path: String
    /// The server's `uuid`, as `GET /` answers it; nil if it is not told. A program knows itself by it.
    public var uuid: String?
    /// Whether it says that it wants TLS.
    public var usesTLS: Bool
    /// The URL of its root, by its first address: `http://192.0.2.7:5984/`. A database's name follows it. By the
    /// computer's name where all addresses are link-local ones of IPv6.
    public var url: String
}

extension DiscoveredPeer {
    /// - Parameter services: Appearances of one peer, the latest last; not empty.
    init(_ services: [CheckedService]) {
        let latest = services[services.count - 1]
        let addresses = Set(services.map(\.address)).sorted { ($0.reach, $0.text) < ($1.reach, $1.text) }
        name = latest.identity.name
        host = latest.identity.host
        self.addresses = addresses.map(\.text)
        port = latest.port
        path = latest.path
        uuid = latest.uuid
        usesTLS = latest.usesTLS
        let authority = addresses.lazy.compactMap(\.inURL).first ?? host
        url = "\(usesTLS ? "https" : "http")://\(authority):\(port)\(path.hasSuffix("/") ? path : path + "/")"
    }
}
