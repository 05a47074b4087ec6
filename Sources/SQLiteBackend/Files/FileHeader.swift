internal import StorageProtocol

/// The parts of the first 100 bytes of a SQLite file that show whether it is one of ours. Layout:
/// https://www.sqlite.org/fileformat2.html#the_database_header
enum FileHeader {
    static let length = 100
    /// "Sett", at offset 68.
    static let applicationID: UInt32 = 0x5365_7474
    /// The version of the tables that this program writes and reads, at offset 60.
    static let formatVersion: UInt32 = 1

    private static let magic = Array("SQLite format 3\0".utf8)

    /// - Parameters:
    ///   - size: The size of the file in bytes.
    ///   - hasLog: Whether there is a log beside it, which may contain what the file lacks.
    /// - Throws: `corrupt` (591), or `unsupportedFormat` (591) for a version newer than ours.
    static func check(_ bytes: [UInt8], size: UInt64, hasLog: Bool) throws(StorageError) {
        let pageSize = try checkFormat(bytes)
        // The number of pages is valid if it was written together with the last change counter.
        let pages = word(bytes, 24) == word(bytes, 92) ? UInt64(word(bytes, 28)) : 0
        guard hasLog || (size % pageSize == 0 && size / pageSize >= pages) else {
            throw .corrupt("The database file is truncated")
        }
    }

    /// Checks what a concurrent writer never changes.
    ///
    /// - Returns: The page size.
    /// - Throws: As `check`.
    @discardableResult
    static func checkFormat(_ bytes: [UInt8]) throws(StorageError) -> UInt64 {
        guard bytes.count == length else { throw .corrupt("The database file is empty or truncated") }
        guard bytes.starts(with: magic) else { throw .corrupt("The database file is not a SQLite file") }
        try checkOwner(bytes)
        guard let pageSize = pageSize(bytes) else {
            throw .corrupt("The database file's header names an impossible page size")
        }
        // How the file may be written and read: 1 with a rollback journal, 2 with a write-ahead log.
        guard [1, 2].contains(bytes[18]), [1, 2].contains(bytes[19]) else {
            throw .corrupt("The database file's header names an unknown journal")
        }
        guard word(bytes, 56) == 1 else { throw .corrupt("The database file's text is not UTF-8") }
        return UInt64(pageSize)
    }

    /// Returns the size of a page in bytes; nil if there is no possible one.
    static func pageSize(_ bytes: [UInt8]) -> Int? {
        guard bytes.count == length else { return nil }
        let field = Int(bytes[16]) << 8 | Int(bytes[17])
        let size = field == 1 ? 65_536 : field
        return size >= 512 && size & (size - 1) == 0 ? size : nil
    }

    /// Counts changes of the first page.
    static func changeCounter(_ bytes: [UInt8]) -> UInt32 { word(bytes, 24) }

    /// Returns the number of pages; nil if the last program that wrote it did not keep it.
    static func pageCount(_ bytes: [UInt8]) -> UInt32? {
        word(bytes, 24) == word(bytes, 92) ? word(bytes, 28) : nil
    }

    /// Counts changes of tables and indexes, from a number drawn at random when the file is made.
    static func schemaVersion(_ bytes: [UInt8]) -> UInt32 { word(bytes, 40) }

    /// - Throws: As `check`.
    static func checkOwner(_ bytes: [UInt8]) throws(StorageError) {
        try checkOwner(applicationID: word(bytes, 68), version: word(bytes, 60))
    }

    /// Whether it marks the file as ours, in a version that this program supports.
    static func isOurs(_ bytes: [UInt8]) -> Bool {
        word(bytes, 68) == applicationID && 1...formatVersion ~= word(bytes, 60)
    }

    /// - Throws: As `check`.
    static func checkOwner(applicationID: UInt32, version: UInt32) throws(StorageError) {
        guard applicationID == self.applicationID, version > 0 else {
            throw .corrupt("The database file is a SQLite file, but not of a Settee database")
        }
        guard version <= formatVersion else {
            throw StorageError(
                .unsupportedFormat,
                "The database file has format version \(version); this program reads up to \(formatVersion). "
                    + "Open it with a newer version of Settee."
            )
        }
    }

    private static func word(_ bytes: [UInt8], _ offset: Int) -> UInt32 {
        bytes[offset..<offset + 4].reduce(0) { $0 << 8 | UInt32($1) }
    }
}
