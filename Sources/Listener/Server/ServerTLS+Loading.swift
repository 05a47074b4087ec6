internal import Crypto
internal import NIOSSL
internal import StorageProtocol

extension ServerTLS {
    /// What was read, ready to be used.
    struct Loaded: Sendable {
        var context: NIOSSLContext
        /// SHA-256 of the certificate's DER, as `AB:CD:...`.
        var fingerprint: String
    }

    /// Reads the files, or makes the self-signed pair. Blocks on the file system.
    ///
    /// - Throws: `StorageError`, naming the file and what to do.
    func load() throws(StorageError) -> Loaded {
        let paths: (certificate: String, key: String)
        switch identity {
        case .files(let certificate, let key): paths = (certificate, key)
        case .selfSigned(let folder, let name):
            let pair = SelfSignedPair(folder: folder, name: name)
            try pair.prepare()
            paths = (pair.certificatePath, pair.keyPath)
        }
        let chain = try ServerTLS.certificates(at: paths.certificate)
        let key: NIOSSLPrivateKey
        do {
            key = try NIOSSLPrivateKey(file: paths.key, format: .pem)
        } catch {
            throw .unreadable(paths.key, "a private key in PEM without a password", error)
        }
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: chain.map { .certificate($0) },
            privateKey: .privateKey(key)
        )
        configuration.minimumTLSVersion = .tlsv12
        configuration.applicationProtocols = ["http/1.1"]
        if let clientAuthority {
            configuration.trustRoots = .certificates(try ServerTLS.certificates(at: clientAuthority))
            configuration.certificateVerification =
                requiresClientCertificate ? .noHostnameVerification : .optionalVerification
        } else if requiresClientCertificate {
            throw StorageError(.badParameter, "Client certificates are required: name the file of their authority.")
        }
        do {
            let context = try NIOSSLContext(configuration: configuration)
            return Loaded(context: context, fingerprint: ServerTLS.fingerprint(try chain[0].toDERBytes()))
        } catch {
            throw StorageError(
                .badParameter,
                "The key in \(paths.key) does not belong to the certificate in \(paths.certificate). Name a pair.",
                cause: error
            )
        }
    }

    /// At least one.
    private static func certificates(at path: String) throws(StorageError) -> [NIOSSLCertificate] {
        let certificates: [NIOSSLCertificate]
        do {
            certificates = try NIOSSLCertificate.fromPEMFile(path)
        } catch {
            throw .unreadable(path, "a certificate in PEM", error)
        }
        guard !certificates.isEmpty else { throw .unreadable(path, "a certificate in PEM", nil) }
        return certificates
    }

    static func fingerprint(_ der: [UInt8]) -> String {
        let digits = Array("0123456789ABCDEF")
        return SHA256.hash(data: der).map { "\(digits[Int($0 >> 4)])\(digits[Int($0 & 15)])" }.joined(separator: ":")
    }
}

extension StorageError {
    fileprivate static func unreadable(_ path: String, _ what: String, _ cause: (any Error)?) -> StorageError {
        StorageError(.badParameter, "Cannot read \(path) as \(what). Check the path and the rights.", cause: cause)
    }
}
