internal import NIOSSL
internal import StorageProtocol

extension TLSConfiguration {
    /// - Throws: `fileSystem` (498) for PEM files that cannot be read, or that do not belong together.
    init(_ trust: ServerTrust) throws(StorageError) {
        self = TLSConfiguration.makeClientConfiguration()
        minimumTLSVersion = .tlsv12
        if let file = trust.authorities {
            trustRoots = .certificates(try TLSConfiguration.certificates(file))
        }
        if let own = trust.clientCertificate {
            certificateChain = try TLSConfiguration.certificates(own.certificate).map { .certificate($0) }
            do {
                privateKey = .privateKey(try NIOSSLPrivateKey(file: own.key, format: .pem))
            } catch {
                throw .unreadable(own.key, "a private key in PEM without a passphrase", error)
            }
        }
        // The pin is compared instead, before the first request.
        if !trust.pins.isEmpty { certificateVerification = .none }
        do {
            _ = try NIOSSLContext(configuration: self)
        } catch {
            throw StorageError(
                .fileSystem,
                "The client's certificate and its key do not belong together. Give a pair.",
                cause: error
            )
        }
    }

    /// At least one.
    private static func certificates(_ path: String) throws(StorageError) -> [NIOSSLCertificate] {
        let certificates: [NIOSSLCertificate]
        do {
            certificates = try NIOSSLCertificate.fromPEMFile(path)
        } catch {
            throw .unreadable(path, "a certificate in PEM", error)
        }
        guard !certificates.isEmpty else { throw .unreadable(path, "a certificate in PEM", nil) }
        return certificates
    }
}

extension StorageError {
    fileprivate static func unreadable(_ path: String, _ what: String, _ cause: (any Error)?) -> StorageError {
        StorageError(.fileSystem, "'\(path)' cannot be read as \(what). Check the path and its rights.", cause: cause)
    }
}
