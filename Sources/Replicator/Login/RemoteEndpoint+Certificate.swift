internal import NIOHTTP1

extension RemoteEndpoint {
    /// The certificate that the server shows, whether it is trusted or not. No request is sent.
    ///
    /// - Throws: `badConfiguration` for plain HTTP; `transient` if there is no connection; `untrusted` if the server
    ///   ends it, such as one that demands a client's certificate.
    public func serverCertificate() async throws(ReplicationError) -> ServerCertificate {
        guard usesTLS else {
            throw ReplicationError(.badConfiguration, "Over plain HTTP a server shows no certificate. Use https.")
        }
        var endpoint = self
        // No certificate has this pin, so that the connection is closed before a request.
        endpoint.trust.pins = [.ofNone]
        endpoint.trust.authorities = nil
        do {
            let transport = try RemoteTransport(endpoint)
            do {
                _ = try await transport.send(RemoteRequest(.GET, ""), login: [])
            } catch {
                if let certificate = transport.serverCertificate { return certificate }
                throw error
            }
            throw PeerError.badAnswer("not to be had")
        } catch {
            throw ReplicationError(error)
        }
    }
}
