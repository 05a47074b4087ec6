internal import NIOSSL

/// Why a server and this side do not speak TLS with each other, where time will not change it.
enum TLSFailure: Equatable {
    /// The server's certificate is for other names.
    case name
    /// Nobody who is trusted has signed the server's certificate, or it has expired.
    case certificate
    /// The server wants a certificate of the client, or another one.
    case client
    /// The server speaks older versions only.
    case version

    /// - Returns: nil for other errors.
    init?(_ error: any Error) {
        switch error {
        case let error as NIOSSLExtraError
        where error == .failedToValidateHostname || error == .serverHostnameImpossibleToMatch:
            self = .name
        case NIOSSLError.handshakeFailed(let reason): self.init(text: String(describing: reason))
        // A server that speaks TLS 1.3 looks at the client's certificate after the client's handshake.
        case let reason as BoringSSLError: self.init(text: String(describing: reason))
        default: return nil
        }
    }

    private init?(text: String) {
        let has = { (word: String) in text.contains(word) }
        if has("UNSUPPORTED_PROTOCOL") || has("PROTOCOL_VERSION") {
            self = .version
        } else if has("CERTIFICATE_VERIFY_FAILED") {
            self = .certificate
        } else if has("ALERT"),
            ["CERTIFICATE", "UNKNOWN_CA", "HANDSHAKE_FAILURE", "ACCESS_DENIED"].contains(where: has)
        {
            self = .client
        } else {
            return nil
        }
    }
}
