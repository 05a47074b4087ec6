internal import Crypto
internal import CryptoExtras
internal import StorageProtocol

/// Decrypts pages of an encrypted file: AES-256-CBC with the pages' key, and the initialisation vector after the cipher
/// text.
struct PageContent {
    private let key: SymmetricKey

    init(_ pagesKey: StorageKey) {
        key = pagesKey.withBytes { bytes in unsafe bytes.withUnsafeBytes { unsafe SymmetricKey(data: $0) } }
    }

    /// Returns the content; the first page begins as in a plain file. Nil if it has not the size of a page.
    func of(_ page: ArraySlice<UInt8>, number: UInt32) -> ArraySlice<UInt8>? {
        guard page.count == PageSeal.pageSize else { return nil }
        let start = number == 1 ? PageSeal.saltLength : 0
        let end = PageSeal.pageSize - PageSeal.reserve
        let vector = page.dropFirst(end).prefix(PageSeal.vectorLength)
        guard let iv = try? AES._CBC.IV(ivBytes: vector),
            let plain = try? AES._CBC.decrypt(page.prefix(end).dropFirst(start), using: key, iv: iv, noPadding: true)
        else { return nil }
        return (number == 1 ? SQLCipherFile.magic : [])[...] + plain
    }
}
