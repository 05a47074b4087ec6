/// How a server encrypts: TLS 1.2 or later.
struct ServerTLS: Sendable {
    enum Identity: Sendable {
        /// PEM files: the certificate with those that it was issued by, and its key.
        case files(certificate: String, key: String)
        /// A P-256 pair that the server makes and keeps in `folder`, as `certificate.pem` and `key.pem`. Clients know
        /// it by its fingerprint.
        case selfSigned(folder: String, name: String)
    }

    var identity: Identity
    /// A PEM file of the authorities whose clients' certificates are taken. A client that sends another certificate is
    /// turned away; one that sends none is served, unless `requiresClientCertificate`. nil: none is asked for.
    var clientAuthority: String?
    var requiresClientCertificate = false
}
