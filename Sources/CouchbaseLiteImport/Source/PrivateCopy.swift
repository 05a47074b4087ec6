internal import SetteeSQLite
internal import SetteeStorageFiles
internal import StorageProtocol

/// A copy of the database file and its log or journal, in a folder that nothing else reads or writes. Opening the
/// original would change it.
final class PrivateCopy {
    private let folder: PrivateFolder
    let path: String
    /// Problems found while copying that may have lost commits.
    private(set) var problems: [String] = []

    /// - Throws: `badParameter` (495) if one of the files is a link, pipe or folder; `inUse` (423) if another program
    ///   writes to them; `full` (507).
    init(of layout: OldLayout, in folder: PrivateFolder, isPlain: Bool) throws(StorageError) {
        self.folder = folder
        path = folder.path + "/db.sqlite3"
        guard let file = try OutsideFile(in: layout.folder, layout.file) else {
            throw StorageError(.notFound, "There is no file '\(layout.folder)/\(layout.file)'.")
        }
        let log = try OutsideFile(in: layout.folder, layout.file + "-wal")
        let journal = try OutsideFile(in: layout.folder, layout.file + "-journal")
        let size = [file, log, journal].compactMap { $0?.size }.reduce(UInt64(0)) { $0 &+ $1 }
        let free = try DiskSpace.free(at: folder.path)
        guard free > size else {
            throw StorageError(
                .full,
                "The copy of the old file needs \(size) bytes; \(free) are free. Free disk space."
            )
        }
        if layout.hasForestDB {
            problems.append("there is a database of the ForestDB engine beside this one; nothing of it was read")
        }
        let start = try isPlain ? file.read(at: 0, count: OldHeader.length) : []
        let header = OldHeader(start, hasLog: (log?.size ?? 0) > 0).mended
        try file.copy(to: path, beginning: header)
        if header != start {
            problems.append("the database file's first bytes are damaged; what follows them was read")
        }
        if let log, log.size > 0 {
            try log.copy(to: path + "-wal")
            if let damage = LogDamage.text(at: path + "-wal") {
                problems.append("the log beside the database file is not whole: \(damage)")
            }
        }
        if let journal, journal.size > 0 {
            if try PrivateCopy.namesOthers(journal) {
                problems.append(
                    "the journal beside the database file belongs to a transaction over several files, and was not used"
                )
            } else {
                try journal.copy(to: path + "-journal")
            }
        }
        for part in [file, log, journal] {
            guard let part, try part.wasChanged() else { continue }
            throw StorageError(.inUse, "'\(part.path)' is being written to. Close the program that uses it.")
        }
    }

    /// Returns whether a journal ends with the name of another file, which SQLite would open and perhaps delete.
    /// Layout: https://www.sqlite.org/fileformat2.html#the_rollback_journal
    private static func namesOthers(_ journal: OutsideFile) throws(StorageError) -> Bool {
        let magic: [UInt8] = [0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7]
        guard journal.size >= 16 else { return false }
        return try journal.read(at: journal.size - 8, count: 8) == magic
    }
}
