/// Where and how a server listens.
struct ServerConfiguration: Sendable {
    /// A name or an address.
    var host = "127.0.0.1"
    /// 0: any free port, which `start` tells.
    var port = 0
    /// nil: HTTP without encryption.
    var tls: ServerTLS?
    var limits = ServerLimits()
}
