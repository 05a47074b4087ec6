#if Sync
internal import ArgumentParser
internal import Settee
internal import SetteeReplicator

/// Whom `settee replicate` trusts over TLS, and the certificate it shows.
struct ReplicateTrust: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The SHA-256 of a certificate to trust, and no other; may be repeated.",
            valueName: "sha256"
        )
    )
    var pin: [String] = []
    @Option(
        help: ArgumentHelp(
            "A PEM file of the authorities to trust, instead of those of the system.",
            valueName: "file"
        ),
        completion: .file()
    )
    var ca: String?
    @Option(
        help: ArgumentHelp("Show the server the certificate in this PEM file. Needs --cert-key.", valueName: "file"),
        completion: .file()
    )
    var cert: String?
    @Option(
        help: ArgumentHelp(
            "The PEM file with that certificate's private key, which has no passphrase.",
            valueName: "file"
        ),
        completion: .file()
    )
    var certKey: String?

    var isGiven: Bool { !pin.isEmpty || ca != nil || cert != nil }

    func validate() throws {
        if (cert == nil) != (certKey == nil) { throw ValidationError("--cert and --cert-key belong together.") }
        if ca != nil, !pin.isEmpty {
            throw ValidationError("With --pin nothing else is trusted: give that or --ca.")
        }
        do throws(StorageError) {
            _ = try pins()
        } catch {
            throw ValidationError(error.message)
        }
    }

    private func pins() throws(StorageError) -> [CertificatePin] {
        try pin.map { text throws(StorageError) in try CertificatePin(text) }
    }

    /// Warns if others can read the key.
    func trust(asJSON: Bool) throws(StorageError) -> ServerTrust {
        var trust = ServerTrust()
        trust.pins = try pins()
        trust.authorities = ca
        if let cert, let certKey {
            SecretFile.warn(certKey, asJSON: asJSON)
            trust.clientCertificate = ClientCertificate(certificate: cert, key: certKey)
        }
        return trust
    }
}
#endif
