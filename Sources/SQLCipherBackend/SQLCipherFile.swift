internal import Crypto
internal import CryptoExtras
internal import SetteeSQLite
internal import StorageProtocol

/// The encryption of this engine's files: SQLCipher's third format, AES-256-CBC and HMAC-SHA1, with pages of 4 KiB,
/// whatever the default of the library's version is.
struct SQLCipherFile: FileCipher {
    let key: StorageKey

    /// - Throws: `badParameter` (495) for a passphrase: the caller must derive a key from it.
    init(_ key: StorageKey) throws(StorageError) {
        guard key.kind == .raw else {
            throw StorageError(
                .badParameter,
                "The SQLCipher engine takes raw keys of \(StorageKey.rawLength) bytes. Passphrases belong to databases."
            )
        }
        self.key = key
    }

    func with(_ key: StorageKey) throws(StorageError) -> any FileCipher { try SQLCipherFile(key) }

    // MARK: Connections

    func unlock(_ connection: Connection) throws(StorageError) {
        try key.withBytes { (key) throws(StorageError) in try connection.setKey(key) }
        // All of them, whatever the defaults are: other users of the library in this process may have changed those.
        let settings = try SQLCipherFile.settings(connection)
        let orders = settings.filter(\.isSet).map { "PRAGMA \($0.name) = \($0.value)" }
        try connection.execute(orders.joined(separator: "; "), "Setting up the encryption")
        for setting in settings {
            let found = try connection.values("PRAGMA \(setting.name)", "Setting up the encryption").first ?? ""
            guard found.uppercased() == setting.value else {
                throw StorageError(
                    .storage,
                    "The library libsqlcipher has '\(found)' for \(setting.name), not '\(setting.value)'. "
                        + "Install another version of it. Nothing was written."
                )
            }
        }
    }

    /// Returns the settings to make, and the values that the library must then report.
    ///
    /// - Throws: `storage` (590) if it reports nothing at all, so that it is not a library that encrypts.
    private static func settings(
        _ connection: Connection
    ) throws(StorageError) -> [(name: String, value: String, isSet: Bool)] {
        guard let version = try connection.values("PRAGMA cipher_version").first, !version.isEmpty else {
            throw StorageError(.storage, "The library libsqlcipher does not encrypt any more. Nothing was written.")
        }
        let common = [
            (name: "cipher_page_size", value: "\(PageSeal.pageSize)", isSet: true),
            (name: "cipher_use_hmac", value: "1", isSet: true),
            // Every page is then written: one of zeros is damaged.
            (name: "secure_delete", value: "1", isSet: true),
        ]
        if version.hasPrefix("3.") {
            return common + [
                (name: "fast_kdf_iter", value: "2", isSet: true),
                // These apply to the whole process.
                (name: "cipher_hmac_salt_mask", value: "3A", isSet: false),
                (name: "cipher", value: "AES-256-CBC", isSet: false),
            ]
        }
        return common + [
            (name: "cipher_hmac_algorithm", value: "HMAC_SHA1", isSet: true),
            (name: "cipher_kdf_algorithm", value: "PBKDF2_HMAC_SHA1", isSet: true),
            (name: "cipher_plaintext_header_size", value: "0", isSet: true),
        ]
    }

    func attach(_ uri: String, as schema: String, to connection: Connection) throws(StorageError) {
        // For an attached file there is no other way to set the page size. It applies to this library in the whole
        // process.
        try connection.execute("PRAGMA cipher_default_page_size = \(PageSeal.pageSize)", "Setting up the encryption")
        try key.withBytes { (key) throws(StorageError) in try connection.attach(uri, as: schema, key: key) }
    }

    var details: [(name: String, value: String)] {
        [
            ("cipher", "aes-256-cbc"), ("cipherHMAC", "hmac-sha1"), ("cipherPageSize", "\(PageSeal.pageSize)"),
            ("cipherReserve", "\(PageSeal.reserve)"),
        ]
    }

    // MARK: Files

    static let magic = Array("SQLite format 3\0".utf8)

    func check(
        size: UInt64,
        file: (UInt64, Int) -> [UInt8]?,
        log: ((UInt64, Int) -> [UInt8]?)?
    ) throws(StorageError) {
        guard log != nil || (size > 0 && size % UInt64(PageSeal.pageSize) == 0) else {
            throw .corrupt("The database file is empty or truncated")
        }
        // Another process may be writing it.
        for _ in 0..<3 {
            guard let page = file(0, PageSeal.pageSize) else { return }
            if page.starts(with: SQLCipherFile.magic) {
                throw .corrupt("The database file is not encrypted, though its database says so")
            }
            guard page.count == PageSeal.pageSize else {
                if log != nil { return }
                throw .corrupt("The database file is empty or truncated")
            }
            let seal = PageSeal(key, salt: page.prefix(PageSeal.saltLength))
            // An interrupted checkpoint may have left half a page, and the whole one in the log, after a power loss.
            if seal.isWhole(page, number: 1) || log.map({ isFirstPage(in: $0, seal) }) == true { return }
        }
        throw .wrongKey
    }

    func pages(ofFile first: [UInt8]) -> (_ number: UInt32, _ page: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        let salt = first.prefix(PageSeal.saltLength)
        let seal = PageSeal(key, salt: salt)
        let content = PageContent(key)
        return { number, page in
            guard seal.isWhole(Array(page), number: number),
                number != 1 || page.prefix(salt.count).elementsEqual(salt)
            else { return nil }
            return content.of(page, number: number)
        }
    }

    /// Whether a log has a first page that was written with the key. Layout:
    /// https://www.sqlite.org/fileformat2.html#the_write_ahead_log
    private func isFirstPage(in log: (UInt64, Int) -> [UInt8]?, _ seal: PageSeal) -> Bool {
        let (header, frameHeader) = (UInt64(32), 24)
        let length = frameHeader + PageSeal.pageSize
        var offset = header
        while let frame = log(offset, length), frame.count == length {
            if frame[..<4].elementsEqual([0, 0, 0, 1]), seal.isWhole(Array(frame[frameHeader...]), number: 1) {
                return true
            }
            offset += UInt64(length)
        }
        return false
    }
}

/// Decrypts pages of an encrypted file: AES-256-CBC with the pages' key, and the initialisation vector after the cipher
/// text.
private struct PageContent {
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
