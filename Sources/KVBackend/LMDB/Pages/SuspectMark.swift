internal import CSetteeOwnership
internal import SetteeSystemLibrary
internal import StorageProtocol

/// The file `suspect` beside the data. There was an I/O error or damage, so all pages must be walked before LMDB uses
/// them again.
enum SuspectMark {
    static let name = "suspect"
    /// The number of digits of 2^64 - 1.
    private static let digitCount = 20

    /// Creates the mark, and makes it permanent. Errors are ignored: a disk that fails may refuse this too.
    ///
    /// - Parameter acknowledged: The last commit that succeeded, if the one after it has failed.
    static func set(in directory: String, acknowledged: UInt64? = nil) {
        let flags = O_WRONLY | O_CREAT | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC
        let file = unsafe cso_open(AT_FDCWD, path(directory), flags, 0o666)
        guard file >= 0 else { return }
        if let acknowledged {
            // All numbers have the same length, so that any previous content is overwritten.
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

    /// Returns the last commit that succeeded before one failed, as recorded in the mark; nil if it is not recorded.
    static func acknowledged(in directory: String) -> UInt64? {
        guard let file = try? PageFile(path: path(directory)), let bytes = try? file.read(digitCount + 1, at: 0),
            bytes.count == digitCount + 1, bytes.last == UInt8(ascii: "\n")
        else { return nil }
        return UInt64(String(decoding: bytes.dropLast(), as: UTF8.self))
    }

    /// Whether the mark exists.
    static func isSet(in directory: String) -> Bool { unsafe access(path(directory), F_OK) == 0 }

    /// Removes the mark. If that fails (in a read-only folder), the next open walks the pages again.
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
