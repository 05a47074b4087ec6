internal import Crypto
internal import StorageProtocol

/// The authentication code at the end of each page of an encrypted file.
///
/// A page of SQLCipher's third format consists of the cipher text (on page 1 after the file's salt of 16 bytes), the
/// initialisation vector of 16 bytes, HMAC-SHA1 over both and the page's number (little-endian), and zeros or noise, so
/// that the part after the cipher text has 48 bytes. The code's key is derived by PBKDF2-HMAC-SHA1, two rounds, from
/// the pages' key and the salt, each byte of which is XORed with 0x3A. Source:
/// https://www.zetetic.net/sqlcipher/design/
struct PageSeal {
    /// The size of a page in bytes.
    static let pageSize = 4096
    /// The number of bytes at the end of a page that do not belong to the database.
    static let reserve = 48
    static let saltLength = 16
    static let vectorLength = 16

    private let key: SymmetricKey

    init(_ pagesKey: StorageKey, salt: some Collection<UInt8>) {
        let masked = salt.map { $0 ^ 0x3A }
        let password = pagesKey.withBytes { bytes in unsafe bytes.withUnsafeBytes { unsafe SymmetricKey(data: $0) } }
        var derived: [UInt8] = []
        for block: UInt8 in 1...2 {
            let first = Array(
                HMAC<Insecure.SHA1>.authenticationCode(for: masked + [0, 0, 0, block], using: password)
            )
            let second = HMAC<Insecure.SHA1>.authenticationCode(for: first, using: password)
            derived += zip(first, second).map { $0 ^ $1 }
        }
        key = SymmetricKey(data: derived.prefix(32))
        for index in derived.indices { derived[index] = 0 }
    }

    /// Whether a page is as it was written with this key.
    ///
    /// - Parameter number: The number of the page, from 1.
    func isWhole(_ page: [UInt8], number: UInt32) -> Bool {
        guard page.count == PageSeal.pageSize else { return false }
        let start = number == 1 ? PageSeal.saltLength : 0
        let end = PageSeal.pageSize - PageSeal.reserve + PageSeal.vectorLength
        var code = HMAC<Insecure.SHA1>(key: key)
        code.update(data: page[start..<end])
        code.update(data: (0..<4).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) })
        return zip(code.finalize(), page[end...]).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
    }
}
