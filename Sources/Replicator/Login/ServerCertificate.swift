/// The certificate that a server showed.
public struct ServerCertificate: Sendable, Equatable {
    /// In DER.
    public let bytes: [UInt8]

    /// Its SHA-256, by which it can be pinned.
    public var pin: CertificatePin { CertificatePin(certificate: bytes) }
}
