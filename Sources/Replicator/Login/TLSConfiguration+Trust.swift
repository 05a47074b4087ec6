internal import NIOSSL
internal import StorageProtocol

extension TLSConfiguration {
    /// - Throws: `fileSystem` (498) for PEM files that cannot be read.
    init(_ trust: ServerTrust) throws(StorageError) {
        self = TLSConfiguration.makeClientConfiguration()
        minimumTLSVersion = .tlsv12
        do {
            if let file = trust.authorities {
                trustRoots = .certificates(try NIOSSLCertificate.fromPEMFile(file))
            }
            if let own = trust.clientCertificate {
                certificateChain = try NIOSSLCertificate.fromPEMFile(own.certificate).map { .certificate($0) }
                privateKey = .privateKey(try NIOSSLPrivateKey(file: own.key, format: .pem))
            }
        } catch {
            throw StorageError(
                .fileSystem,
                "A file of authorities, the client's certificate or its key cannot be read as PEM.",
                cause: error
            )
        }
        // The pin is compared instead, before the first request.
        if !trust.pins.isEmpty { certificateVerification = .none }
    }
}
