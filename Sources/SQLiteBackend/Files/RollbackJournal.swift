internal import StorageProtocol

/// The file `…-journal`, left by another program that wrote without a log and was killed. SQLite rolls it back
/// automatically, into whatever file it stands beside.
enum RollbackJournal {
    /// A store is complete before it gets its place, and is written by a log from then on. So a journal belongs to
    /// another program, or to another file; its pages do not tell which.
    ///
    /// Opens and closes the journal, so it must only be called before the process has any connection to the database
    /// file.
    ///
    /// - Throws: `corrupt` (591) for a journal that SQLite would use: one that does not begin with a zero.
    ///   https://www.sqlite.org/fileformat2.html#the_rollback_journal
    static func check(_ path: String) throws(StorageError) {
        guard (FileFacts.size(path) ?? 0) > 0, let first = try FileFacts.bytes(path, count: 1).first, first != 0 else {
            return
        }
        throw StorageError(
            .corrupt,
            "The rollback journal '\(path)' would overwrite pages of the database. Settee never writes one, so nothing "
                + "was opened. If another program has changed the database, open and close it there once, with "
                + "`PRAGMA journal_mode = WAL`. If the journal belongs to another file, move it elsewhere."
        )
    }
}
