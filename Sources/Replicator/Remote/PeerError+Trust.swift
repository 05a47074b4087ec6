internal import Foundation

extension PeerError {
    /// - Parameter shown: The certificate that the server shows.
    static func untrusted(
        _ failure: TLSFailure,
        _ endpoint: RemoteEndpoint,
        _ shown: ServerCertificate? = nil
    ) -> PeerError {
        let origin = endpoint.origin
        let message =
            switch failure {
            case .version: "\(origin) speaks no TLS 1.2 or later."
            case .client where endpoint.trust.clientCertificate == nil:
                "\(origin) ended the handshake. It may want a certificate of the client: give one with its key."
            case .client: "\(origin) does not take the client's certificate."
            case .name: "The certificate of \(origin) is for other names. " + names(shown)
            case .certificate: certificate(origin, shown)
            }
        return PeerError(.untrusted, message)
    }

    private static func names(_ shown: ServerCertificate?) -> String {
        let names = (shown?.details?.names ?? []).prefix(5).filter { name in
            name.utf8.count <= 100 && name.utf8.allSatisfy { 0x21...0x7E ~= $0 }
        }
        if names.isEmpty { return "Pin it if it is the right one." }
        return "Use one of them in the URL: \(names.joined(separator: ", "))."
    }

    private static func certificate(_ origin: String, _ shown: ServerCertificate?) -> String {
        guard let shown, let details = shown.details else {
            return "The certificate of \(origin) is not trusted. Give its authority, or a pin."
        }
        let now = Date.now
        if now < details.validFrom {
            return """
                The certificate of \(origin) is not valid before \(details.validFrom.ISO8601Format()). Check the clocks \
                of both sides.
                """
        }
        if details.validUntil < now {
            return """
                The certificate of \(origin) expired on \(details.validUntil.ISO8601Format()). The server needs a new \
                one.
                """
        }
        let signer = details.issuer == details.subject ? "only itself has" : "nobody who is trusted has"
        return """
            The certificate of \(origin) is one that \(signer) signed. Its SHA-256 is \(shown.pin) \
            and can be pinned if whoever runs the server says that it is right; or give the file of its authority.
            """
    }
}
