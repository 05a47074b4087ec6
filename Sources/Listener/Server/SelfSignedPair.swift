internal import Crypto
internal import Foundation
internal import StorageProtocol
internal import SwiftASN1
internal import X509

/// A certificate that vouches for itself, with its key, in two files of a folder.
///
/// It is kept as long as it is valid, since clients remember its fingerprint, and made anew when it has expired or one
/// of the files is missing, damaged, or does not belong to the other. The key's file must be a plain file that nobody
/// else may read.
struct SelfSignedPair {
    let folder: String
    let name: String

    var certificatePath: String { folder + "/certificate.pem" }
    var keyPath: String { folder + "/key.pem" }

    /// Ten years: it is trusted for its fingerprint, which changes with it.
    private static let validity = 3_652.0 * 86_400
    private static let longest = 65_536

    /// Makes the files unless there is a valid pair.
    ///
    /// - Throws: `StorageError` if the files can be read by others, are no plain files, or cannot be written.
    func prepare() throws(StorageError) {
        try PrivateFile.makeFolder(folder)
        let key = try PrivateFile(path: keyPath).read(atMost: SelfSignedPair.longest, isSecret: true)
        let certificate = try PrivateFile(path: certificatePath).read(atMost: SelfSignedPair.longest, isSecret: false)
        if let key, let certificate, SelfSignedPair.isValid(key: key, certificate: certificate) { return }
        let pair: (key: String, certificate: String)
        do {
            pair = try SelfSignedPair.make(named: name)
        } catch {
            throw StorageError(
                .badParameter,
                "Cannot make a certificate for this name. Use a host name of letters, digits, dots and hyphens.",
                cause: error
            )
        }
        // A pair of which only the key was replaced is made anew at the next start.
        try PrivateFile(path: keyPath).replace(with: Array(pair.key.utf8))
        try PrivateFile(path: certificatePath).replace(with: Array(pair.certificate.utf8))
    }

    static func isValid(key: [UInt8], certificate: [UInt8], at now: Date = Date()) -> Bool {
        guard let key = try? P256.Signing.PrivateKey(pemRepresentation: String(decoding: key, as: UTF8.self)),
            let certificate = try? Certificate(pemEncoded: String(decoding: certificate, as: UTF8.self))
        else { return false }
        return certificate.publicKey == Certificate.PublicKey(key.publicKey)
            && certificate.notValidBefore <= now && now < certificate.notValidAfter
    }

    /// It says nothing of what the key is for: TLS libraries would not take it as its own issuer without the right to
    /// sign certificates.
    ///
    /// - Parameter start: When it becomes valid. A day before now, for clients whose clock is late.
    static func make(
        named name: String,
        from start: Date = Date(timeIntervalSinceNow: -86_400)
    ) throws -> (key: String, certificate: String) {
        guard 1...64 ~= name.utf8.count, name.utf8.allSatisfy(isHostNameByte) else {
            throw StorageError(.badParameter, "A certificate's name is a host name of at most 64 bytes.")
        }
        let key = P256.Signing.PrivateKey()
        let subject = try DistinguishedName { CommonName(name) }
        let certificate = try Certificate(
            version: .v3,
            serialNumber: Certificate.SerialNumber(),
            publicKey: Certificate.PublicKey(key.publicKey),
            notValidBefore: start,
            notValidAfter: start.addingTimeInterval(validity),
            issuer: subject,
            subject: subject,
            signatureAlgorithm: .ecdsaWithSHA256,
            extensions: try Certificate.Extensions {
                Critical(BasicConstraints.notCertificateAuthority)
                try ExtendedKeyUsage([.serverAuth])
                SubjectAlternativeNames([
                    .dnsName(name), .dnsName("localhost"),
                    .ipAddress(ASN1OctetString(contentBytes: [127, 0, 0, 1])),
                    .ipAddress(ASN1OctetString(contentBytes: [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1])),
                ])
            },
            issuerPrivateKey: Certificate.PrivateKey(key)
        )
        return (key.pemRepresentation + "\n", try certificate.serializeAsPEM().pemString + "\n")
    }

    private static func isHostNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"):
            true
        default: false
        }
    }
}
