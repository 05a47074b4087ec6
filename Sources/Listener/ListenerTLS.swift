/// How a listener encrypts its connections: TLS 1.2 or later.
public struct ListenerTLS: Sendable {
    let identity: ServerTLS.Identity
    /// A PEM file of the authorities whose clients' certificates are taken. A client that sends another certificate is
    /// turned away; one that sends none is served, unless `requiresClientCertificate`. Nil: none is asked for.
    public var clientAuthority: String?
    /// Whether clients without a certificate are turned away.
    public var requiresClientCertificate = false

    /// A certificate with those that it was issued by, and its key, in PEM files.
    public static func files(certificate: String, key: String) -> ListenerTLS {
        ListenerTLS(identity: .files(certificate: certificate, key: key))
    }

    /// A P-256 key and a certificate that the listener makes for itself and keeps in a folder: `certificate.pem` and
    /// `key.pem`, which only its owner may read. Clients know it by `Listener.fingerprint`.
    ///
    /// - Parameter name: The name in the certificate.
    public static func selfSigned(named name: String, in folder: String) -> ListenerTLS {
        ListenerTLS(identity: .selfSigned(folder: folder, name: name))
    }

    private init(identity: ServerTLS.Identity) { self.identity = identity }

    var server: ServerTLS {
        ServerTLS(
            identity: identity,
            clientAuthority: clientAuthority,
            requiresClientCertificate: requiresClientCertificate
        )
    }
}
