internal import NIOSSL
internal import Settee
internal import SetteeListener
internal import StorageProtocol
internal import Testing

@testable internal import SetteeReplicator

/// Servers with TLS.
@Suite(.timeLimit(.minutes(5))) struct RemoteTrustTests {
    private static func selfSigned(_ folder: String) -> ListenerTLS {
        .selfSigned(named: "kitchen", in: folder + "/tls")
    }

    @Test("a pinned server is trusted, one that nobody has signed is not, and its certificate can be read")
    func pins() async throws {
        try await RemoteBed.run(tls: Self.selfSigned) { bed in
            let plain = try bed.peer()
            #expect(await failure { _ = try await plain.information() }?.kind == .untrusted)
            var endpoint = try bed.endpoint()
            endpoint.trust.pins = [try CertificatePin(try #require(await bed.listener.fingerprint))]
            let peer = try RemotePeer(endpoint, pauses: [])
            #expect(try await peer.information().lastSequence == 0)
            #expect(peer.serverCertificate.map { [$0.pin] } == endpoint.trust.pins)
            endpoint.trust.pins = []
            endpoint.trust.authorities = bed.certificates + "certificate.pem"
            let known = await failure { _ = try await RemotePeer(endpoint, pauses: []).information() }
            // The authority is trusted; the name may be another.
            #expect(known == nil || known?.kind == .untrusted)
        }
    }

    @Test("with a wrong pin no request is sent")
    func wrongPin() async throws {
        try await RemoteBed.run(tls: Self.selfSigned) { bed in
            let folder = bed.certificates
            let tls = TLSConfiguration.makeServerConfiguration(
                certificateChain: try NIOSSLCertificate.fromPEMFile(folder + "certificate.pem").map {
                    .certificate($0)
                },
                privateKey: .privateKey(try NIOSSLPrivateKey(file: folder + "key.pem", format: .pem))
            )
            let context = try NIOSSLContext(configuration: tls)
            try await ScriptedServer.run(tls: context) { _ in
                .json(#"{"db_name":"db"}"#)
            } _: { server in
                var endpoint = try RemoteEndpoint("https://127.0.0.1:\(server.port)/db")
                endpoint.trust.pins = [CertificatePin(certificate: [1, 2, 3])]
                let peer = try RemotePeer(endpoint, authenticator: .basic("ida", "secret"), pauses: [.zero])
                let errors = await withTaskGroup(of: PeerError?.self) { group in
                    for _ in 0..<4 { group.addTask { await failure { _ = try await peer.information() } } }
                    return await group.reduce(into: []) { $0.append($1) }
                }
                #expect(errors.allSatisfy { $0?.kind == .untrusted } && server.requests.isEmpty)
                // The message names the pin that would do.
                endpoint.trust.pins = [try #require(peer.serverCertificate?.pin)]
                #expect(errors.allSatisfy { $0?.message.contains(endpoint.trust.pins[0].description) == true })
                #expect(try await RemotePeer(endpoint, pauses: []).information().startTime == "0")
            }
        }
    }

    @Test("a pin is 64 hexadecimal digits, with colons or without")
    func pinText() throws {
        let pin = CertificatePin(certificate: Array("abc".utf8))
        #expect(pin.description.hasPrefix("BA:78:16:BF:") && pin.description.count == 95)
        #expect(try CertificatePin(pin.description.lowercased().replacing(":", with: "")) == pin)
        for text in ["", "AB", pin.description + "0", String(pin.description.dropLast()) + "x"] {
            #expect(throws: StorageError.self) { try CertificatePin(text) }
        }
    }

    @Test("files that cannot be read are an error before the first request")
    func files() throws {
        var endpoint = try RemoteEndpoint("https://127.0.0.1/db")
        endpoint.trust.clientCertificate = ClientCertificate(certificate: "/none.pem", key: "/none.pem")
        #expect(throws: StorageError.self) { try RemotePeer(endpoint) }
    }
}
