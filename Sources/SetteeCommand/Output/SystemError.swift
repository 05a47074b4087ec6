internal import Settee
internal import SetteeSystemLibrary

/// Converts errors of system calls to `StorageError`s.
enum SystemError {
    /// The `errno` of the call that just failed.
    static var last: Int32 { errno }

    /// - Parameter what: what failed, as in "The file 'x' could not be read".
    static func make(_ what: String, _ number: Int32) -> StorageError {
        let full = [ENOSPC, EDQUOT, EFBIG].contains(number)
        let remedy =
            switch number {
            case EFBIG: " Raise the limit on file sizes (ulimit -f) and repeat the command."
            case _ where full: " Make room and repeat the command."
            case EMFILE, ENFILE: " Raise the limit on open files (ulimit -n) and repeat the command."
            default: ""
            }
        return StorageError(full ? .full : .fileSystem, "\(what): \(text(number)).\(remedy)")
    }

    private static func text(_ number: Int32) -> String {
        guard let text = unsafe strerror(number) else { return "error \(number)" }
        return unsafe String(cString: text)
    }
}
