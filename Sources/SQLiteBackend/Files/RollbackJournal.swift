internal import StorageProtocol

/// The file `…-journal`, left by a program that wrote without a log and was killed. SQLite rolls it back automatically.
enum RollbackJournal {
    /// The end of a journal that belongs to a transaction over several files: SQLite reads the file that it names, and
    /// deletes it. https://www.sqlite.org/fileformat2.html#the_rollback_journal
    private static let magic: [UInt8] = [0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7]
    /// The length of the name, its checksum, and the magic bytes.
    private static let endLength = 16

    /// Opens and closes the journal, so it must only be called before the process has any connection to the database
    /// file.
    ///
    /// - Throws: `corrupt` (591) for a journal that names another file, which could be any file of this user.
    static func check(_ path: String) throws(StorageError) {
        guard let size = FileFacts.size(path), size >= UInt64(endLength) else { return }
        let end = try FileFacts.bytes(path, at: size - UInt64(endLength), count: endLength)
        guard end.count == endLength, end.suffix(magic.count).elementsEqual(magic) else { return }
        throw StorageError(
            .corrupt,
            "The rollback journal '\(path)' names another file, which SQLite would delete. No program of ours writes "
                + "one. "
                + "Remove it if you do not know where it comes from, and run `settee check`."
        )
    }
}
