internal import CSetteeLMDB
internal import SetteeSystemLibrary
internal import StorageProtocol

/// A failure reported by LMDB, kept as the cause of a `StorageError`.
struct LMDBFailure: Error, CustomStringConvertible {
    /// One of LMDB's codes, or an errno.
    var code: Int32
    /// Whether the disk may have accepted what was written and not kept it. The content of the file is then unknown.
    var leavesDoubt = false

    /// LMDB's fixed text for the code. It contains no keys and no values.
    var description: String {
        guard let text = unsafe mdb_strerror(code) else { return "LMDB \(code)" }
        return unsafe "LMDB \(code): \(String(cString: text))"
    }

    /// Whether an errno means that the disk has no more room for the process.
    static func isFull(_ number: Int32) -> Bool { [ENOSPC, EDQUOT, EFBIG].contains(number) }

    /// Whether no more transactions may begin: a sync after a failed one may succeed without having written anything.
    var endsStore: Bool { leavesDoubt || code == EIO || code == MDB_PANIC }

    /// Whether the file itself may be damaged, so that all its pages must be walked at the next open.
    var isSuspicious: Bool {
        leavesDoubt
            || [EIO, MDB_PANIC, MDB_CORRUPTED, MDB_PAGE_NOTFOUND, MDB_CURSOR_FULL, MDB_PAGE_FULL, MDB_INVALID].contains(
                code
            )
    }

    /// Returns the error to throw. `doing` names what failed.
    func error(_ doing: String, fileID: StaticString = #fileID, line: UInt = #line) -> StorageError {
        let (code, remedy) = meaning
        return StorageError(code, "\(doing) failed: \(remedy)", cause: self, fileID: fileID, line: line)
    }

    /// The only table that maps LMDB's codes and errno to ours, with the remedy.
    private var meaning: (code: StorageError.Code, remedy: String) {
        switch code {
        case MDB_MAP_FULL:
            (
                .full,
                "the room reserved for the file is used up. Roll back and try again: it grows when no transaction is "
                    + "open."
            )
        case MDB_TXN_FULL:
            (.full, "the transaction is too large. Roll back, and write in smaller batches.")
        case ENOSPC where leavesDoubt, EDQUOT where leavesDoubt:
            (
                .full,
                "the disk, or a quota on it, is full, and what was written may be lost. Free disk space, close the "
                    + "database and "
                    + "open it again."
            )
        case ENOSPC, EDQUOT, EFBIG:
            (.full, "the disk, or a quota on it, is full. Free disk space and try again.")
        case MDB_CORRUPTED, MDB_PAGE_NOTFOUND, MDB_CURSOR_FULL, MDB_PAGE_FULL:
            (.corrupt, "the file is damaged. Run `settee check`, and restore from a copy or an export.")
        case MDB_INVALID:
            (.corrupt, "the file is no LMDB file. Restore it from a copy or an export.")
        case MDB_INCOMPATIBLE:
            (.corrupt, "a table of the file is not as it must be. Restore it from a copy or an export.")
        case MDB_VERSION_MISMATCH:
            (
                .unsupportedFormat,
                "the file is of another version of LMDB. Open it with a program that is built with that version."
            )
        case MDB_READERS_FULL:
            (
                .busy,
                "all places for readers are taken. End some read transactions and try again."
            )
        case MDB_MAP_RESIZED:
            (.busy, "another process has made the file larger. Try again when no transaction is open.")
        case MDB_PANIC, MDB_BAD_RSLOT:
            (.storage, "an earlier failure left the store unusable. Close the database and open it again.")
        case EIO:
            (.storage, "the disk reported an error. Check the medium, close the database and open it again.")
        case EACCES, EPERM, EROFS:
            (.readOnly, "the file or its folder cannot be written. Grant write permission, or open read-only.")
        case EMFILE, ENFILE:
            (.fileSystem, "too many files are open. Close files, or raise the limit on them (ulimit -n), and retry.")
        case ENOENT, ENOTDIR, ENAMETOOLONG, ELOOP, EISDIR, ENXIO:
            (.fileSystem, "a file could not be opened or made. Check that the folder exists and its permissions.")
        case ENOMEM:
            (.storage, "memory or address space ran out. Free memory, or raise the limit, and try again.")
        case MDB_BAD_VALSIZE:
            (.tooLarge, "a key or value has a length that LMDB does not store. Split the document.")
        case EINTR:
            (.busy, "a signal interrupted it. Try again.")
        case EAGAIN, EBUSY:
            (.busy, "another program holds the file. Try again, or close that program.")
        case MDB_KEYEXIST:
            (
                .corrupt,
                "the key is not above all others of its table, which the counters are wrong about. Run `settee check`, "
                    + "and restore "
                    + "from a copy or an export."
            )
        default:
            (.storage, "the LMDB library failed. Close the database and open it again, and run `settee check`.")
        }
    }
}
