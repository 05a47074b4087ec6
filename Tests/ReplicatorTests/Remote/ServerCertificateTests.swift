internal import Crypto
internal import Foundation
internal import SetteeTestSupport
internal import StorageConformance
internal import SwiftASN1
internal import Testing
internal import X509

@testable internal import SetteeReplicator

/// What a server's certificate says is shown before anybody trusts it, so it may be anything.
@Suite struct ServerCertificateTests {
    private static let isLong = ProcessInfo.processInfo.environment["SETTEE_STRESS"] != nil

    /// A certificate with something of each kind that is read.
    private static func certificate() throws -> [UInt8] {
        let key = P256.Signing.PrivateKey()
        let name = try DistinguishedName {
            CommonName("kitchen")
            OrganizationName("Häuser")
            CountryName("DE")
            OrganizationalUnitName("a, b+c=\"d\"\\")
        }
        let certificate = try Certificate(
            version: .v3,
            serialNumber: Certificate.SerialNumber(),
            publicKey: Certificate.PublicKey(key.publicKey),
            notValidBefore: Date(timeIntervalSince1970: 1_000_000_000),
            notValidAfter: Date(timeIntervalSince1970: 4_000_000_000),
            issuer: name,
            subject: name,
            signatureAlgorithm: .ecdsaWithSHA256,
            extensions: try Certificate.Extensions {
                Critical(BasicConstraints.isCertificateAuthority(maxPathLength: 3))
                Critical(KeyUsage(digitalSignature: true, keyCertSign: true))
                try ExtendedKeyUsage([.serverAuth])
                SubjectAlternativeNames([
                    .dnsName("kitchen"), .dnsName(""), .rfc822Name("a@b"),
                    .uniformResourceIdentifier("http://x"), .directoryName(name),
                    .ipAddress(ASN1OctetString(contentBytes: [127, 0, 0, 1])),
                    .ipAddress(ASN1OctetString(contentBytes: [])),
                    .ipAddress(ASN1OctetString(contentBytes: [1, 2, 3])),
                    .ipAddress(ASN1OctetString(contentBytes: ArraySlice(repeating: 7, count: 16))),
                    .ipAddress(ASN1OctetString(contentBytes: ArraySlice(repeating: 7, count: 500))),
                ])
            },
            issuerPrivateKey: Certificate.PrivateKey(key)
        )
        var serializer = DER.Serializer()
        try certificate.serialize(into: &serializer)
        return serializer.serializedBytes
    }

    @Test("addresses of any length, and names with any characters, are shown or left out")
    func odd() throws {
        let details = try #require(ServerCertificate(bytes: try Self.certificate()).details)
        #expect(details.names.contains("kitchen") && details.names.contains("127.0.0.1"))
        #expect(details.subject.contains("Häuser"))
    }

    @Test("certificates with changed, missing and added bytes are shown or nil, 400,000 in the long form")
    func changed() throws {
        let seed: UInt64 = Self.isLong ? .random(in: 0 ... .max) : 57
        var random = SeededGenerator(seed: seed)
        let whole = try Self.certificate()
        var read = 0
        for _ in 0..<(Self.isLong ? 400_000 : 4_000) {
            var bytes = whole
            for _ in 0...random.below(3) {
                let place = random.below(bytes.count)
                switch random.below(5) {
                case 0: bytes[place] = UInt8.random(in: 0...255, using: &random)
                case 1: bytes[place] ^= 1 << UInt8(random.below(8))
                case 2: bytes[place] = [0, 1, 0x1F, 0x7F, 0x80, 0x81, 0x84, 0x88, 0xFF][random.below(9)]
                case 3: bytes.remove(at: place)
                default: bytes.insert(UInt8.random(in: 0...255, using: &random), at: place)
                }
            }
            if ServerCertificate(bytes: bytes).details != nil { read += 1 }
        }
        // Most changes of names, times and addresses leave a certificate that can be read.
        #expect(read > 0, "seed \(seed)")
    }

    @Test("lengths that are not so, and depths without an end")
    func lengths() {
        let texts: [[UInt8]] = [
            [], [0x30], [0x30, 0x80], [0x30, 0x84, 0xFF, 0xFF, 0xFF, 0xFF],
            [0x30, 0x88, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF],
            [0x30, 0x88, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF], [0x3F, 0xFF, 0xFF, 0xFF, 0xFF, 0x7F, 0],
            Array(repeating: 0x30, count: 100_000), (0..<50_000).flatMap { _ in [0x30, 0x80] as [UInt8] },
            nested(50), nested(2_000),
        ]
        for text in texts { #expect(ServerCertificate(bytes: text).details == nil) }
    }

    /// Sequences in sequences.
    private func nested(_ depth: Int) -> [UInt8] {
        var bytes: [UInt8] = [5, 0]
        for _ in 0..<depth { bytes = [0x30, 0x82, UInt8(bytes.count >> 8 & 255), UInt8(bytes.count & 255)] + bytes }
        return bytes
    }
}
