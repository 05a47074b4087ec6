internal import Foundation
internal import NIOCore
internal import NIOSSL
internal import StorageProtocol

/// Looks at the certificate of each new connection, behind the handshake and before the first request.
final class CertificateCheck: Sendable {
    private let pins: [CertificatePin]
    private let seen: Locked<ServerCertificate?> = Locked(nil)

    init(_ pins: [CertificatePin]) { self.pins = pins }

    /// The last certificate.
    var last: ServerCertificate? { seen.withLock { $0 } }

    /// Fails for a connection to a server that is not trusted, and closes it.
    func look(at channel: any Channel) -> EventLoopFuture<Void> {
        do {
            try check(channel)
            return channel.eventLoop.makeSucceededVoidFuture()
        } catch {
            // Not at once: the pool has to hear of the failure before it hears that the connection is closed.
            channel.eventLoop.execute { channel.close(promise: nil) }
            return channel.eventLoop.makeFailedFuture(error)
        }
    }

    private func check(_ channel: any Channel) throws {
        guard let certificate = try channel.pipeline.syncOperations.nioSSL_peerCertificate() else {
            throw PeerError(.untrusted, "The server showed no certificate.")
        }
        let shown = ServerCertificate(bytes: try certificate.toDERBytes())
        seen.withLock { $0 = shown }
        guard !pins.isEmpty else { return }
        guard pins.contains(shown.pin) else {
            throw PeerError(
                .untrusted,
                """
                The server's certificate is not the pinned one. Its SHA-256 is \(shown.pin) and can \
                be pinned if whoever runs the server says that it is right.
                """
            )
        }
        let now = Int(Date.now.timeIntervalSince1970)
        guard certificate.notValidBefore <= now else {
            throw PeerError(.untrusted, "The server's certificate is not valid yet. Check the clocks of both sides.")
        }
        guard now <= certificate.notValidAfter else {
            throw PeerError(.untrusted, "The server's certificate has expired. The server needs a new one.")
        }
    }
}
