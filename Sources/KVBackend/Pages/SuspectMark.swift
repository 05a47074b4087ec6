internal import StorageProtocol

#if canImport(Darwin)
internal import Darwin
#elseif canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#endif

/// The file `suspect` beside the data: an I/O error, or damage, was met, and all pages are to be walked before LMDB is
/// trusted with them again.
enum SuspectMark {
    static let name = "suspect"

    /// Makes the mark, and makes it permanent. Does what it can: a disk that fails may refuse this too.
    static func set(in directory: String) {
        let file = unsafe open(path(directory), O_WRONLY | O_CREAT | O_CLOEXEC, 0o666)
        guard file >= 0 else { return }
        _ = close(file)
        sync(directory)
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
