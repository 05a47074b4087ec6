internal import AsyncHTTPClient
internal import NIOCore
internal import NIOSSL

extension PeerError {
    /// The error of a connection as `Peer` throws it: a `PeerError`, or a `CancellationError`.
    static func ofConnection(_ error: any Error, _ endpoint: RemoteEndpoint) -> any Error {
        switch error {
        case let error as PeerError: return error
        case is CancellationError: return error
        case let error as HTTPClientError:
            if error == .cancelled || Task.isCancelled { return CancellationError() }
            if error.isInvalid {
                return PeerError(.badAnswer, "A header or the URL cannot be sent.")
            }
            return PeerError(.transient, "The connection to \(endpoint.origin) failed: \(error.shortDescription).")
        case let error as NIOSSLError:
            if case .handshakeFailed(let reason) = error, reason.isAboutTrust { return untrusted(endpoint) }
            return PeerError(.transient, "The TLS connection to \(endpoint.origin) failed.")
        case is NIOSSLExtraError: return untrusted(endpoint)
        default:
            if Task.isCancelled { return CancellationError() }
            return PeerError(.transient, "The connection to \(endpoint.origin) failed.")
        }
    }

    private static func untrusted(_ endpoint: RemoteEndpoint) -> PeerError {
        PeerError(
            .untrusted,
            "There is no trust with \(endpoint.origin): a certificate is unknown, expired, of another name, or missing."
        )
    }
}

extension HTTPClientError {
    /// Whether the request could never be sent.
    fileprivate var isInvalid: Bool {
        ["Invalid URL", "Invalid header field names", "Invalid header field values"].contains(shortDescription)
    }
}

extension BoringSSLError {
    /// Whether a certificate was refused, by either side. Other failures are those of connections.
    fileprivate var isAboutTrust: Bool {
        let text = String(describing: self)
        return ["CERTIFICATE", "UNKNOWN_CA", "ALERT"].contains { text.contains($0) }
    }
}
