internal import Crypto
internal import StorageProtocol

/// Replaces a document's ID in log messages, because IDs may be names of people, and logs are passed on.
enum DocumentTag {
    /// Generated in each process, so that IDs cannot be guessed from a log.
    private static let key = SymmetricKey(size: .bits256)

    /// Eight hexadecimal digits.
    static func text(of id: DocumentID) -> String {
        let code = HMAC<SHA256>.authenticationCode(for: Array(id.string.utf8), using: key)
        let digits = Array("0123456789abcdef".utf8)
        return String(
            decoding: code.prefix(4).flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] },
            as: UTF8.self
        )
    }
}
