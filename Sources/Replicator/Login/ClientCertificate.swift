/// A certificate by which a server knows the client, with its key.
public struct ClientCertificate: Sendable, Equatable {
    /// A PEM file with the certificate, then those that it was issued by.
    public var certificate: String
    /// A PEM file with the key.
    public var key: String

    public init(certificate: String, key: String) {
        self.certificate = certificate
        self.key = key
    }
}
