public import Foundation
internal import NIOCore
internal import SwiftASN1
internal import X509

extension ServerCertificate {
    /// What a certificate says of itself. Anybody can write anything into one.
    public struct Details: Sendable, Equatable {
        /// Whose it is, as `CN=kitchen,O=House` (RFC 4514).
        public let subject: String
        /// Who has signed it; the same as `subject` if nobody else has.
        public let issuer: String
        /// Host names and addresses that it is for.
        public let names: [String]
        public let validFrom: Date
        public let validUntil: Date
    }

    /// - Returns: nil if the certificate cannot be read.
    public var details: Details? {
        guard let certificate = try? Certificate(derEncoded: bytes) else { return nil }
        let names = try? certificate.extensions.subjectAlternativeNames
        return Details(
            subject: certificate.subject.description,
            issuer: certificate.issuer.description,
            names: (names ?? SubjectAlternativeNames([])).compactMap(ServerCertificate.text),
            validFrom: certificate.notValidBefore,
            validUntil: certificate.notValidAfter
        )
    }

    private static func text(_ name: GeneralName) -> String? {
        switch name {
        case .dnsName(let host): host
        case .ipAddress(let address):
            try? SocketAddress(packedIPAddress: ByteBuffer(bytes: address.bytes), port: 0).ipAddress
        default: nil
        }
    }
}
