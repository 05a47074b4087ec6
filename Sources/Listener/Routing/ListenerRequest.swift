internal import HTTPTypes

/// The head of a request, and what its connection tells about the client.
struct ListenerRequest: Sendable {
    /// Method, target and headers as the client sent them. `path` is the target with its query, still encoded;
    /// `authority` is the Host header.
    var head: HTTPRequest
    /// The client's address without the port, as `127.0.0.1` or `::1`; nil if the connection has none.
    var remoteAddress: String?
    /// Whether the connection is encrypted.
    var isSecure: Bool
    /// The certificate, as DER, of a client that sent one that was verified.
    var clientCertificate: [UInt8]?

    init(
        head: HTTPRequest,
        remoteAddress: String? = nil,
        isSecure: Bool = false,
        clientCertificate: [UInt8]? = nil
    ) {
        self.head = head
        self.remoteAddress = remoteAddress
        self.isSecure = isSecure
        self.clientCertificate = clientCertificate
    }
}
