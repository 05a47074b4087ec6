internal import Crypto
internal import Foundation
internal import NIOSSL
internal import Settee
internal import SetteeListener
internal import SetteeTestSupport
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
            let refused = await failure { _ = try await plain.information() }
            let pin = try #require(await bed.listener.fingerprint)
            #expect(refused?.kind == .untrusted && refused?.message.contains(pin) == true, "\(refused?.message ?? "")")
            var endpoint = try bed.endpoint()
            endpoint.trust.pins = [try CertificatePin(pin)]
            let peer = try RemotePeer(endpoint, pauses: [])
            #expect(try await peer.information().lastSequence == 0)
            #expect(peer.serverCertificate.map { [$0.pin] } == endpoint.trust.pins)
            endpoint.trust.pins = []
            endpoint.trust.authorities = bed.certificates + "certificate.pem"
            #expect(try await RemotePeer(endpoint, pauses: []).information().lastSequence == 0)
        }
    }

    @Test("a certificate can be read before it is trusted, and no request is sent")
    func shown() async throws {
        try await RemoteBed.run(tls: Self.selfSigned) { bed in
            let certificate = try await bed.endpoint().serverCertificate()
            #expect(certificate.pin.description == (await bed.listener.fingerprint))
            let details = try #require(certificate.details)
            #expect(details.subject == "CN=kitchen" && details.issuer == details.subject)
            #expect(details.names == ["kitchen", "localhost", "127.0.0.1", "::1"])
            #expect(details.validFrom < .now && .now < details.validUntil)
            try await ScriptedServer.run(tls: try context(bed)) { _ in
                .json(#"{"db_name":"db"}"#)
            } _: { server in
                var endpoint = try RemoteEndpoint("https://127.0.0.1:\(server.port)/db")
                endpoint.headers = ["X-Key": "secret"]
                #expect(try await endpoint.serverCertificate() == certificate)
                #expect(server.requests.isEmpty)
            }
        }
        #expect(ServerCertificate(bytes: [1, 2, 3]).details == nil)
        let plain = try RemoteEndpoint("http://127.0.0.1:1/db")
        let error = await #expect(throws: ReplicationError.self) { try await plain.serverCertificate() }
        #expect(error?.code == .badConfiguration)
        let closed = try RemoteEndpoint("https://127.0.0.1:1/db")
        let none = await #expect(throws: ReplicationError.self) { try await closed.serverCertificate() }
        #expect(none?.code == .transient)
    }

    /// TLS with the listener's certificate.
    private func context(_ bed: RemoteBed) throws -> NIOSSLContext {
        let folder = bed.certificates
        let chain = try NIOSSLCertificate.fromPEMFile(folder + "certificate.pem").map {
            NIOSSLCertificateSource.certificate($0)
        }
        let key = try NIOSSLPrivateKey(file: folder + "key.pem", format: .pem)
        return try NIOSSLContext(
            configuration: .makeServerConfiguration(certificateChain: chain, privateKey: .privateKey(key))
        )
    }

    @Test("with a wrong pin no request is sent")
    func wrongPin() async throws {
        try await RemoteBed.run(tls: Self.selfSigned) { bed in
            try await ScriptedServer.run(tls: try context(bed)) { _ in
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

    @Test("files that cannot be used are named before the first request")
    func files() async throws {
        try await RemoteBed.run(tls: Self.selfSigned) { bed in
            let certificate = bed.certificates + "certificate.pem"
            let key = bed.certificates + "key.pem"
            let otherKey = bed.folder.url.path + "/other.pem"
            try P256.Signing.PrivateKey().pemRepresentation.write(toFile: otherKey, atomically: true, encoding: .utf8)
            func message(_ change: (inout ServerTrust) -> Void) throws -> String {
                var endpoint = try RemoteEndpoint("https://127.0.0.1/db")
                change(&endpoint.trust)
                do throws(StorageError) {
                    _ = try RemotePeer(endpoint)
                    return ""
                } catch {
                    return error.message
                }
            }
            let good = try message { $0.clientCertificate = .init(certificate: certificate, key: key) }
            #expect(good.isEmpty)
            for (text, trust) in [
                ("'/none.pem'", { $0.authorities = "/none.pem" }), ("key.pem'", { $0.authorities = key }),
                ("'/none.pem'", { $0.clientCertificate = .init(certificate: "/none.pem", key: key) }),
                ("'/none.pem'", { $0.clientCertificate = .init(certificate: certificate, key: "/none.pem") }),
                ("certificate.pem'", { $0.clientCertificate = .init(certificate: certificate, key: certificate) }),
                ("belong together", { $0.clientCertificate = .init(certificate: certificate, key: otherKey) }),
            ] as [(String, (inout ServerTrust) -> Void)] {
                let told = try message(trust)
                #expect(told.contains(text), "\(told)")
            }
        }
    }
}
