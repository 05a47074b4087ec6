internal import SetteeSystemLibrary
internal import StorageProtocol

/// The file `suspect` beside the data: an I/O error, or damage, was met, and all pages are to be walked before LMDB is
/// trusted with them again.
enum SuspectMark {
    static let name = "suspect"
    /// Those of 2^64 - 1.
    private static let digitCount = 20

    /// Makes the mark, and makes it permanent. Does what it can: a disk that fails may refuse this too.
    ///
    /// - Parameter acknowledged: the last commit that succeeded, where the one after it has failed.
    static func set(in directory: String, acknowledged: UInt64? = nil) {
        let file = unsafe open(path(directory), O_WRONLY | O_CREAT | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC, 0o666)
        guard file >= 0 else { return }
        if let acknowledged {
            // One length for all numbers: whatever was there is overwritten.
            let digits = String(acknowledged)
            let text = String(repeating: "0", count: digitCount - digits.utf8.count) + digits + "\n"
            unsafe _ = text.utf8.withContiguousStorageIfAvailable { bytes in
                unsafe pwrite(file, bytes.baseAddress, bytes.count, 0)
            }
            _ = fsync(file)
        }
        _ = close(file)
        sync(directory)
    }

    /// The last commit that succeeded before one failed, as the mark says; nil where it does not.
    static func acknowledged(in directory: String) -> UInt64? {
        guard let file = try? PageFile(path: path(directory)), let bytes = try? file.read(digitCount + 1, at: 0),
            bytes.count == digitCount + 1, bytes.last == UInt8(ascii: "\n")
        else { return nil }
        return UInt64(String(decoding: bytes.dropLast(), as: UTF8.self))
    }

    /// Whether the mark is there.
    static func isSet(in directory: String) -> Bool { unsafe access(path(directory), F_OK) == 0 }

    /// Takes the mark away. Where that fails (a read-only folder) the next open walks the pages again.
    static func clear(in directory: String) {
        guard unsafe unlink(path(directory)) == 0 else { return }
        sync(directory)
    }

    private static func path(_ directory: String) -> String { "\(directory)/\(name)" }

    private static func sync(_ directory: String) {
        let folder = unsafe open(directory, O_RDONLY | O_CLOEXEC)
        guard folder >= 0 else { return }
        _ = fsync(folder)
        _ = close(folder)
    }
}
