internal import AsyncHTTPClient
internal import Foundation
internal import NIOCore
internal import NIOPosix
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
        case is NIOSSLError, is NIOSSLExtraError, is BoringSSLError:
            if let failure = TLSFailure(error) { return untrusted(failure, endpoint) }
            return PeerError(.transient, "The TLS connection to \(endpoint.origin) failed. Does it speak TLS?")
        default:
            if Task.isCancelled { return CancellationError() }
            if let reason = unreached(error, endpoint) { return PeerError(.transient, reason) }
            return PeerError(.transient, "The connection to \(endpoint.origin) failed.")
        }
    }

    /// Why no connection was made, where it can be told: of a host by its name, or by its address.
    private static func unreached(_ error: any Error, _ endpoint: RemoteEndpoint) -> String? {
        let attempts = error as? NIOConnectionError
        if let attempts, attempts.connectionErrors.isEmpty {
            return "The host of \(endpoint.origin) is not known. Check the URL, and the name server."
        }
        let errors = attempts?.connectionErrors.map(\.error) ?? [error]
        guard errors.allSatisfy({ ($0 as? IOError)?.errnoCode == ECONNREFUSED }) else { return nil }
        return "No server listens at \(endpoint.origin). Check the URL, and that the server runs."
    }
}

extension HTTPClientError {
    /// Whether the request could never be sent.
    fileprivate var isInvalid: Bool {
        ["Invalid URL", "Invalid header field names", "Invalid header field values"].contains(shortDescription)
    }
}
