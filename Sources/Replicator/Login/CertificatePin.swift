internal import Crypto
public import StorageProtocol

/// The SHA-256 of a server's certificate, by which a replicator knows the server.
///
/// A pin stands in the place of names and issuers: a certificate with a pin is trusted even if nobody has signed it,
/// one without is not, whoever has. It has to be valid today all the same.
public struct CertificatePin: Hashable, Sendable, CustomStringConvertible {
    private let digest: [UInt8]

    /// Reads a pin as `settee serve --tls` and `openssl x509 -fingerprint -sha256` show it: 64 hexadecimal digits, with
    /// or without colons.
    ///
    /// - Throws: `badParameter` (495) for anything else.
    public init(_ text: String) throws(StorageError) {
        let digits = text.utf8.filter { $0 != UInt8(ascii: ":") }
        let values = digits.compactMap { Character(Unicode.Scalar($0)).hexDigitValue }
        guard digits.count == 64, values.count == 64 else {
            throw StorageError(.badParameter, "The pin of a certificate has 64 hexadecimal digits: its SHA-256.")
        }
        digest = stride(from: 0, to: 64, by: 2).map { UInt8(values[$0] << 4 | values[$0 + 1]) }
    }

    /// A pin that no certificate has.
    static let ofNone = CertificatePin(digest: [UInt8](repeating: 0, count: 32))

    private init(digest: [UInt8]) { self.digest = digest }

    /// The pin of a certificate in DER.
    public init(certificate der: [UInt8]) { digest = Array(SHA256.hash(data: der)) }

    /// The digits in pairs, as `AB:CD:...`.
    public var description: String {
        digest.map { byte in
            let digits = String(byte, radix: 16, uppercase: true)
            return byte < 16 ? "0" + digits : digits
        }.joined(separator: ":")
    }
}
