#if RocksDB
internal import CSetteeRocksDB
internal import StorageProtocol

/// A failure reported by RocksDB, kept as the cause of a `StorageError`.
struct RocksDBFailure: Error, CustomStringConvertible {
    /// The kind of a status, as its text begins: `Corruption`, `IO error`, ...
    let kind: String
    /// The name of the file that the text names, if any.
    let file: String?
    /// Whether the disk, or a quota on it, is full.
    let isFull: Bool
    /// Whether another user of the files has them locked.
    let isLocked: Bool
    /// Whether the process may not write or read the files.
    let isForbidden: Bool
    /// Whether no more files can be opened.
    let isOutOfDescriptors: Bool

    /// Takes the text of a status, and frees it.
    init(taking text: UnsafeMutablePointer<CChar>) {
        defer { unsafe rocks_free(text) }
        unsafe self.init(String(cString: text))
    }

    /// - Parameter text: may have keys and paths in it, which are not kept.
    init(_ text: String) {
        kind = text.split(separator: ":", maxSplits: 1).first.map(String.init) ?? "unknown"
        func tells(_ words: String) -> Bool { text.contains(words) }
        isFull = tells("No space left") || tells("NoSpace") || tells("Disk quota exceeded") || tells("File too large")
        isLocked =
            tells("lock hold by current process")
            || tells("While lock file") && tells("temporarily unavailable")
        isForbidden = tells("Permission denied") || tells("Read-only file system") || tells("not permitted")
        isOutOfDescriptors = tells("Too many open files")
        file = RocksDBFailure.fileName(in: text)
    }

    /// Only fixed texts and names of RocksDB's own files.
    var description: String { "RocksDB: \(kind)" + (file.map { " (\($0))" } ?? "") }

    /// Returns the error to throw. `doing` names what failed.
    func error(_ doing: String, fileID: StaticString = #fileID, line: UInt = #line) -> StorageError {
        let (code, remedy) = meaning
        let place = file.map { " at '\($0)'" } ?? ""
        return StorageError(code, "\(doing) failed\(place): \(remedy)", cause: self, fileID: fileID, line: line)
    }

    /// The only table that maps RocksDB's states to our codes, with the remedy.
    private var meaning: (code: StorageError.Code, remedy: String) {
        if isFull { return (.full, "the disk, or a quota on it, is full. Free disk space and try again.") }
        if isLocked {
            return (.inUse, "another program has the database open. Try again when it has closed it.")
        }
        if isForbidden {
            return (.readOnly, "a file or its folder cannot be written. Grant write permission, or open read-only.")
        }
        if isOutOfDescriptors {
            return (
                .fileSystem,
                "too many files are open. Close files, or raise the limit on them (ulimit -n), and retry."
            )
        }
        switch kind {
        case "Corruption", "NotFound", "Invalid argument":
            return (.corrupt, "a file is damaged. Run `settee check`, and restore from a copy or an export.")
        case "Not implemented":
            return (
                .unsupportedFormat,
                "the files are of a version of RocksDB that this one cannot read. Open them with a newer library."
            )
        case "Resource busy", "Operation aborted":
            return (.busy, "another operation of the store was in the way. Try again.")
        default:
            return (.storage, "the disk reported an error. Check the medium, close the database and open it again.")
        }
    }

    /// Returns the first word that has the form of one of RocksDB's file names.
    private static func fileName(in text: String) -> String? {
        for word in text.split(whereSeparator: { " :/'\",;()".contains($0) }) {
            let digits = word.prefix { $0.isASCII && $0.isNumber }
            if digits.count >= 6, [".sst", ".log", ".blob"].contains(word.dropFirst(digits.count)) {
                return String(word)
            }
            if word == "CURRENT" || word == "IDENTITY" { return String(word) }
            for name in ["MANIFEST-", "OPTIONS-"] where word.hasPrefix(name) {
                let number = word.dropFirst(name.count)
                if number.allSatisfy({ $0.isASCII && $0.isNumber }) { return String(word) }
            }
        }
        return nil
    }
}

extension UnsafeMutablePointer<CChar>? {
    /// Throws the failure that a call has left here, if there is one.
    @inline(__always)
    func check(_ doing: @autoclosure () -> String) throws(StorageError) {
        guard let text = self else { return }
        throw unsafe RocksDBFailure(taking: text).error(doing())
    }
}
#endif
