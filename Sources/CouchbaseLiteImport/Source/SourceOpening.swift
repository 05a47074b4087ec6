internal import SetteeEncryption
internal import SetteeSQLCipher
internal import SetteeSQLite
internal import SetteeStorageFiles
internal import StorageProtocol

/// Opens a private copy, with its key if it has one.
struct SourceOpening {
    static let magic = Array("SQLite format 3\0".utf8)

    let connection: SourceConnection
    /// The raw key that fits; nil if the file is not encrypted.
    let key: StorageKey?

    /// The page sizes of encrypted files: the default of SQLCipher 3 is 1024.
    private static let pageSizes = [1024, 4096, 2048, 8192, 16_384, 512, 32_768, 65_536]

    /// - Parameters:
    ///   - keys: raw keys that may fit.
    ///   - isPlain: whether the file begins like one that is not encrypted.
    init(_ path: String, keys: [StorageKey], isPlain: Bool) throws(StorageError) {
        if isPlain {
            connection = try SourceConnection(path, library: SQLiteLibrary.linked())
            key = nil
            return
        }
        let library = try SQLCipherLibrary.loaded()
        for size in SourceOpening.pageSizes {
            for key in keys {
                let connection = try SourceConnection(path, library: library, key: key, pageSize: size)
                guard try SourceOpening.fits(connection) else { continue }
                self.connection = connection
                self.key = key
                return
            }
        }
        throw StorageError(
            .unauthorized,
            "The old database is encrypted, and not with this key, or its first page is damaged. Give the right key."
        )
    }

    private static func fits(_ connection: SourceConnection) throws(StorageError) -> Bool {
        do throws(StorageError) {
            try connection.rows("SELECT count(*) FROM sqlite_master") { (_) throws(StorageError) in false }
            return true
        } catch {
            guard error.isDamage else { throw error }
            // If the first page fits the key, others may still be damaged.
            return error.code == .corrupt
        }
    }

    /// Returns the possible keys of the file: a raw key itself, or the keys that Couchbase Lite derives from a
    /// passphrase, which it does differently on .NET.
    static func keys(_ key: StorageKey) throws(StorageError) -> [StorageKey] {
        guard key.kind == .passphrase else { return [key] }
        var keys: [StorageKey] = []
        for derivation in LegacyKeyDerivation.allCases { keys.append(try derivation.key(from: key)) }
        return keys
    }

    /// Returns whether a header is that of a plain file except for its first 16 bytes. In an encrypted file the other
    /// bytes look random, too.
    private static func isPlainBehindMagic(_ start: [UInt8]) -> Bool {
        guard start.count == 24, start[21...].elementsEqual([64, 32, 32]) else { return false }
        let size = Int(start[16]) << 8 | Int(start[17])
        return size == 1 || (size >= 512 && size & (size - 1) == 0)
    }

    /// Returns whether the file, or the first page of its log, begins like one that is not encrypted.
    static func isPlain(_ layout: OldLayout) throws(StorageError) -> Bool {
        guard let file = try OutsideFile(in: layout.folder, layout.file) else {
            throw StorageError(.notFound, "There is no file '\(layout.folder)/\(layout.file)'.")
        }
        let start = try file.read(at: 0, count: 24)
        guard file.size == 0 || file.size >= 512 else {
            throw StorageError(.unsupportedFormat, "'\(file.path)' is no database: it is too short.")
        }
        if start.starts(with: magic) || isPlainBehindMagic(start) { return true }
        // The whole database may still be in its log, whose first frame then has the first page.
        guard file.size == 0 else { return false }
        guard let log = try OutsideFile(in: layout.folder, layout.file + "-wal"), log.size > 0 else {
            throw StorageError(.unsupportedFormat, "'\(file.path)' is no database: it is empty.")
        }
        return try log.read(at: 32 + 24, count: magic.count) == magic
    }
}
