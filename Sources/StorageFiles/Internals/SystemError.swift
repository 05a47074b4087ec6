internal import CSetteeStorageFiles
internal import SetteeSystemLibrary
internal import StorageProtocol

/// An errno, as the cause of a `StorageError`.
package struct SystemError: Error, Sendable, Equatable, CustomStringConvertible {
    package let errno: Int32

    package var description: String {
        let text = unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
            unsafe csf_describe(errno, buffer.baseAddress, 256)
            return unsafe String(cString: UnsafePointer(buffer.baseAddress!))
        }
        return "\(text) (errno \(errno))"
    }

    static let wouldBlock = EWOULDBLOCK
    static let exists = EEXIST
    static let missing = ENOENT
    static let notEmpty = ENOTEMPTY
    static let notDirectory = ENOTDIR
    static let isSymbolicLink = ELOOP
    static let crossDevice = EXDEV
    static let notPermitted = EPERM
    static let tooManyLinks = EMLINK
    static let notSupported = EOPNOTSUPP
}

/// What was attempted, as used in the sentence of an error.
enum FileAction {
    /// `verb` is an infinitive: "open", "list".
    case reading(String)
    /// An action that changes the disk.
    case writing(String)
}

/// Converts an errno to a `StorageError`. This is the only function that does so.
///
/// - Parameter result: 0 or more, or a negated errno.
/// - Returns: `result`, if it is not an errno.
@discardableResult
func check(
    _ result: Int32,
    _ action: FileAction,
    _ path: String,
    fileID: StaticString = #fileID,
    line: UInt = #line
) throws(StorageError) -> Int32 {
    guard result < 0 else { return result }
    let cause = SystemError(errno: -result)
    let (verb, writes) =
        switch action {
        case .reading(let verb): (verb, false)
        case .writing(let verb): (verb, true)
        }
    let (code, remedy): (StorageError.Code, String) =
        switch cause.errno {
        case ENOSPC, EDQUOT: (.full, "Free disk space (or raise the quota) and retry.")
        case EFBIG: (.full, "Raise the limit on the size of files (ulimit -f) and retry.")
        case EROFS: (.readOnly, "The file system is read-only: use another folder, or open with the readOnly option.")
        case EACCES, EPERM:
            writes
                ? (.readOnly, "Grant this user write permission, or open the database with the readOnly option.")
                : (.fileSystem, "Grant this user permission to read it.")
        case ENOENT: (.fileSystem, "It does not exist; check the path.")
        case ENOTDIR: (.fileSystem, "A part of the path is no folder; check the path.")
        case ENAMETOOLONG: (.fileSystem, "Use a shorter path.")
        case EEXIST, ENOTEMPTY: (.exists, "Something of this name exists: choose another, or remove it.")
        case EMFILE, ENFILE: (.fileSystem, "Close files, or raise the limit on open files (ulimit -n), and retry.")
        case ENOLCK, EOPNOTSUPP: (.fileSystem, "Keep the database on a local file system that supports flock.")
        case EIO: (.storage, "The disk reports a failure: check it, and work on a copy.")
        default: (.fileSystem, "Check the path, the permissions and the disk.")
        }
    throw StorageError(
        code,
        "Cannot \(verb) '\(path)': \(cause). \(remedy)",
        cause: cause,
        fileID: fileID,
        line: line
    )
}

extension StorageError {
    /// The underlying errno, if the error came from the file system.
    package var errno: Int32? { (cause as? SystemError)?.errno }
}
