internal import CSetteeSQLiteAPI
internal import SetteeSystemLibrary
internal import StorageProtocol

/// A failure reported by SQLite, kept as the cause of a `StorageError`.
struct SQLiteFailure: Error, CustomStringConvertible {
    /// The extended result code.
    var code: Int32
    /// The system's underlying error number, 0 if there is none.
    var systemError: Int32
    /// SQLite's fixed text for the code. It contains no SQL and no values.
    var text: String

    var description: String {
        systemError == 0 ? "SQLite \(code): \(text)" : "SQLite \(code), errno \(systemError): \(text)"
    }
}

extension SQLiteFailure {
    // SQLITE_IOERR_CORRUPTFS; SQLITE_IOERR_SHORT_READ, SQLITE_IOERR_DATA; SQLITE_READONLY_DBMOVED.
    private static let damagedFileSystem = sqliteExtended(10, 33)
    private static let damagedFile = [sqliteExtended(10, 2), sqliteExtended(10, 32), damagedFileSystem]
    private static let movedFile = sqliteExtended(8, 4)
    // SQLITE_CANTOPEN_SYMLINK.
    private static let symbolicLink = sqliteExtended(14, 6)

    /// Whether the library does not recognise the file as a database. With a key, it may have been encrypted with
    /// another one.
    var isNoDatabase: Bool { code & 0xFF == sqlite_notadb && systemError != EIO }

    /// The only table that maps SQLite's result codes to ours, with the remedy.
    private var meaning: (code: StorageError.Code, remedy: String) {
        switch code & 0xFF {
        case sqlite_busy, sqlite_locked, sqlite_protocol:
            (.busy, "another program holds the file. Try again, or close that program.")
        case sqlite_full:
            (.full, "the disk is full. Free disk space and try again.")
        case sqlite_ioerr where [ENOSPC, EDQUOT, EFBIG].contains(systemError):
            (.full, "the disk, or a quota on it, is full. Free disk space and try again.")
        case sqlite_ioerr where systemError == EINTR:
            (.busy, "a signal interrupted it. Try again.")
        // What SQLite calls damage where the system fails to read.
        case sqlite_corrupt where systemError == EIO, sqlite_notadb where systemError == EIO,
            sqlite_ioerr where systemError == EIO && code == Self.damagedFileSystem:
            (.storage, "the disk could not be read. Check the medium and open the database again.")
        case sqlite_ioerr where Self.damagedFile.contains(code):
            (.corrupt, "the file is truncated or damaged. Run `settee check`, and restore from a copy or an export.")
        case sqlite_ioerr:
            (.storage, "the disk reported an error. Check the medium and open the database again.")
        case sqlite_corrupt:
            (.corrupt, "the file is damaged. Run `settee check`, and restore from a copy or an export.")
        case sqlite_notadb:
            (.corrupt, "the file is no SQLite database. Restore it from a copy or an export.")
        case sqlite_error, sqlite_mismatch:
            // The SQL is ours and never changes, so only a wrong schema or value can cause this.
            (.corrupt, "a table or value of the file is not as it must be. Restore it from a copy or an export.")
        case sqlite_constraint:
            (
                .corrupt,
                "the file contradicts itself (an ID or sequence is there already). Run `settee check`, and restore "
                    + "from a copy "
                    + "or an export."
            )
        case sqlite_readonly where code == Self.movedFile:
            (.fileSystem, "the file was moved or deleted. Open the database again.")
        case sqlite_cantopen where [ENOSPC, EDQUOT].contains(systemError):
            (.full, "the disk, or a quota on it, is full. Free disk space and try again.")
        case sqlite_readonly, sqlite_perm:
            (.readOnly, "the file or its folder cannot be written. Grant write permission, or open read-only.")
        case sqlite_cantopen where code == Self.symbolicLink || systemError == ELOOP:
            (.corrupt, "a file of the database is a symbolic link. Put the real file in its place.")
        case sqlite_cantopen where [EMFILE, ENFILE].contains(systemError):
            (.fileSystem, "too many files are open. Close files, or raise the limit on them (ulimit -n), and retry.")
        case sqlite_cantopen where [ENOSPC, EDQUOT, EFBIG].contains(systemError):
            (.full, "the disk, or a quota on it, is full. Free disk space and try again.")
        case sqlite_cantopen:
            (.fileSystem, "a file could not be opened or made. Check that the folder exists and its permissions.")
        case sqlite_toobig:
            (.tooLarge, "a value is larger than SQLite stores. Split the document.")
        case sqlite_interrupt:
            (.cancelled, "it was interrupted.")
        case sqlite_nomem:
            (.storage, "memory ran out. Free memory and try again.")
        default:
            (.storage, "the SQLite library failed. Open the database again, and run `settee check`.")
        }
    }

    /// Returns the error to throw. `doing` names what failed.
    func error(_ doing: String, fileID: StaticString = #fileID, line: UInt = #line) -> StorageError {
        let (code, remedy) = meaning
        return StorageError(code, "\(doing) failed: \(remedy)", cause: self, fileID: fileID, line: line)
    }
}

private func sqliteExtended(_ primary: Int32, _ detail: Int32) -> Int32 { primary | detail << 8 }
