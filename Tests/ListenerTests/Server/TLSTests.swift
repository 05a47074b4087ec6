internal import Crypto
internal import Foundation
internal import HTTPTypes
internal import NIOCore
internal import NIOSSL
internal import StorageProtocol
internal import SwiftASN1
internal import Testing
internal import X509

@testable internal import SetteeListener

/// Encrypted connections.
@Suite(.timeLimit(.minutes(10))) struct TLSTests {
    private static let request = "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"

    /// A folder that is removed after the test.
    private func withFolder(_ body: (String) async throws -> Void) async throws {
        let folder = NSTemporaryDirectory() + "settee-tls-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try await body(folder)
    }

    /// A client that knows the server's certificate.
    private func trusting(_ path: String) throws -> TLSConfiguration {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.trustRoots = .certificates(try NIOSSLCertificate.fromPEMFile(path))
        configuration.certificateVerification = .noHostnameVerification
        return configuration
    }

    private func answer(_ test: TestServer, _ client: TLSConfiguration) async throws -> String {
        let client = try await RawClient.connect(to: test.address, tls: client)
        try? await client.send(Self.request)
        let text = await client.allUntilClosed()
        await client.close()
        return text
    }

    @Test func aSelfSignedPairServesAndIsKept() async throws {
        try await withFolder { folder in
            let tls = ServerTLS(identity: .selfSigned(folder: folder + "/tls", name: "kitchen"))
            var fingerprints: [String?] = []
            for _ in 0..<2 {
                try await TestServer.with(tls: tls) { request, _ in
                    .text(
                        "<\(request.isSecure) \(request.head.scheme ?? "") \(request.clientCertificate?.count ?? 0)>"
                    )
                } run: { test in
                    let client = try trusting(folder + "/tls/certificate.pem")
                    let text = try await answer(test, client)
                    #expect(text.hasSuffix("<true https 0>"), "\(text)")
                    fingerprints.append(await test.server.fingerprint)
                }
            }
            #expect(fingerprints[0] == fingerprints[1])
            let der = try NIOSSLCertificate.fromPEMFile(folder + "/tls/certificate.pem")[0].toDERBytes()
            let hash = SHA256.hash(data: der).map { String(format: "%02X", $0) }.joined(separator: ":")
            #expect(fingerprints[0] == hash)
        }
    }

    @Test func largeAndPipelinedRequestsPassThroughTLS() async throws {
        try await withFolder { folder in
            let tls = ServerTLS(identity: .selfSigned(folder: folder, name: "kitchen"))
            try await TestServer.with(tls: tls) { _, body in
                let count = (try? await body.all())?.count ?? -1
                return Answer(
                    status: .ok,
                    body: .stream(length: nil) { sink in
                        try await sink.write(ByteBuffer(repeating: 120, count: 300_000))
                        try await sink.write(ByteBuffer(string: "<\(count)>"))
                    }
                )
            } run: { test in
                let client = try await RawClient.connect(to: test.address, tls: trusting(folder + "/certificate.pem"))
                let head = "PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 500000\r\n\r\n"
                client.beginSending((0..<3).flatMap { _ in Array(head.utf8) + [UInt8](repeating: 7, count: 500_000) })
                #expect(await client.all(until: "<500000>", count: 3).matches(of: /<500000>/).count == 3)
                await client.close()
            }
        }
    }

    @Test func olderVersionsAreRefused() async throws {
        try await withFolder { folder in
            let tls = ServerTLS(identity: .selfSigned(folder: folder, name: "kitchen"))
            try await TestServer.greeting(tls: tls) { test in
                var old = try trusting(folder + "/certificate.pem")
                old.minimumTLSVersion = .tlsv1
                old.maximumTLSVersion = .tlsv11
                #expect(try await answer(test, old).isEmpty)
                old.maximumTLSVersion = .tlsv12
                #expect(try await answer(test, old).hasSuffix("hello"))
            }
        }
    }

    @Test func whoNeverShakesHandsIsCut() async throws {
        try await withFolder { folder in
            var limits = ServerLimits()
            limits.headTime = .milliseconds(50)
            try await TestServer.greeting(limits, tls: ServerTLS(identity: .selfSigned(folder: folder, name: "a"))) {
                test in
                let silent = try await test.connect()
                #expect(await silent.allUntilClosed().isEmpty)
                // HTTP without TLS.
                let plain = try await test.connect()
                try await plain.send(Self.request)
                #expect(!(await plain.allUntilClosed()).contains("hello"))
            }
        }
    }

    @Test(arguments: [true, false])
    func clientsCertificatesAreVerified(isRequired: Bool) async throws {
        try await withFolder { folder in
            let authority = try Authority()
            let (known, unknown) = (try authority.issue(), try Authority().issue())
            try authority.pem.write(toFile: folder + "/ca.pem", atomically: true, encoding: .utf8)
            let tls = ServerTLS(
                identity: .selfSigned(folder: folder + "/tls", name: "a"),
                clientAuthority: folder + "/ca.pem",
                requiresClientCertificate: isRequired
            )
            try await TestServer.with(tls: tls) { request, _ in
                .text("<\(request.clientCertificate.map { ServerTLS.fingerprint($0) } ?? "none")>")
            } run: { test in
                var client = try trusting(folder + "/tls/certificate.pem")
                #expect(try await answer(test, client).hasSuffix("<none>") == !isRequired)
                client.certificateChain = [.certificate(known.certificate)]
                client.privateKey = .privateKey(known.key)
                let fingerprint = ServerTLS.fingerprint(try known.certificate.toDERBytes())
                #expect(try await answer(test, client).hasSuffix("<\(fingerprint)>"))
                client.certificateChain = [.certificate(unknown.certificate)]
                client.privateKey = .privateKey(unknown.key)
                #expect(try await answer(test, client).isEmpty)
            }
        }
    }

    @Test func filesAreNamedWhenTheyCannotBeUsed() async throws {
        try await withFolder { folder in
            let (first, second) = (folder + "/1", folder + "/2")
            for path in [first, second] { try SelfSignedPair(folder: path, name: "a").prepare() }
            let good = first + "/certificate.pem"
            func message(_ tls: ServerTLS) -> String {
                do throws(StorageError) {
                    _ = try tls.load()
                    return ""
                } catch {
                    return error.message
                }
            }
            let pair = ServerTLS(identity: .files(certificate: good, key: first + "/key.pem"))
            #expect(message(pair).isEmpty)
            let missing = folder + "/none"
            #expect(message(ServerTLS(identity: .files(certificate: missing, key: good))).contains(missing))
            #expect(message(ServerTLS(identity: .files(certificate: good, key: missing))).contains(missing))
            #expect(
                message(ServerTLS(identity: .files(certificate: first + "/key.pem", key: missing))).contains("key.pem")
            )
            let foreign = ServerTLS(identity: .files(certificate: good, key: second + "/key.pem"))
            #expect(message(foreign).contains("does not belong"))
            var verifying = pair
            verifying.requiresClientCertificate = true
            #expect(message(verifying).contains("authority"))
            verifying.clientAuthority = missing
            #expect(message(verifying).contains(missing))
        }
    }
}

/// Issues certificates for clients.
private struct Authority {
    private let key = Certificate.PrivateKey(P256.Signing.PrivateKey())
    private let certificate: Certificate

    init() throws {
        let name = try DistinguishedName { CommonName("authority") }
        certificate = try Self.certificate(name, key.publicKey, name, key, isAuthority: true)
    }

    var pem: String {
        get throws { try certificate.serializeAsPEM().pemString }
    }

    func issue() throws -> (certificate: NIOSSLCertificate, key: NIOSSLPrivateKey) {
        let key = P256.Signing.PrivateKey()
        let issued = try Self.certificate(
            DistinguishedName { CommonName("client") },
            Certificate.PublicKey(key.publicKey),
            certificate.subject,
            self.key,
            isAuthority: false
        )
        return (
            try NIOSSLCertificate(bytes: Array(issued.serializeAsPEM().pemString.utf8), format: .pem),
            try NIOSSLPrivateKey(bytes: Array(key.pemRepresentation.utf8), format: .pem)
        )
    }

    private static func certificate(
        _ subject: DistinguishedName,
        _ publicKey: Certificate.PublicKey,
        _ issuer: DistinguishedName,
        _ issuerKey: Certificate.PrivateKey,
        isAuthority: Bool
    ) throws -> Certificate {
        try Certificate(
            version: .v3,
            serialNumber: Certificate.SerialNumber(),
            publicKey: publicKey,
            notValidBefore: Date(timeIntervalSinceNow: -3_600),
            notValidAfter: Date(timeIntervalSinceNow: 3_600),
            issuer: issuer,
            subject: subject,
            signatureAlgorithm: .ecdsaWithSHA256,
            extensions: try Certificate.Extensions {
                Critical(
                    isAuthority
                        ? BasicConstraints.isCertificateAuthority(maxPathLength: nil) : .notCertificateAuthority
                )
                Critical(KeyUsage(digitalSignature: !isAuthority, keyCertSign: isAuthority))
            },
            issuerPrivateKey: issuerKey
        )
    }
}
