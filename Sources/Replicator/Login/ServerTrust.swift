/// Which servers are trusted over TLS, and how a server knows the client.
public struct ServerTrust: Sendable, Equatable {
    /// A PEM file of the authorities that are trusted; nil: those of the system.
    public var authorities: String?
    /// The certificates that are trusted, whoever issued them. Empty: those of the authorities.
    public var pins: [CertificatePin] = []
    /// The client's own certificate; nil: none.
    public var clientCertificate: ClientCertificate?

    public init() {}
}
