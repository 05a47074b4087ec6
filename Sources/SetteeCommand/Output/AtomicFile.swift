internal import Foundation
internal import Settee
internal import SetteeSystemLibrary

/// A file that appears complete or not at all. It is written without a name if the system supports that, else under
/// another name in the same folder, and renamed at the end. Only its owner can read it. If the process is killed, the
/// next write to the same path removes what is left.
///
/// If the target is not a regular file (but a device or pipe), it is written to directly.
final class AtomicFile {
    let output: OutputFile
    private let place: Place

    private enum Place {
        /// The target is written to directly.
        case direct
        /// The output becomes the target at the end.
        case beside(PartialFile)
    }

    init(path: String) throws(StorageError) {
        let name = "The file '\(path)'"
        var status = stat()
        let exists = unsafe stat(path, &status) == 0
        if exists, status.st_mode & S_IFMT == S_IFDIR { throw SystemError.make("\(name) could not be written", EISDIR) }
        if exists, status.st_mode & S_IFMT != S_IFREG {
            let descriptor = unsafe open(path, O_WRONLY | O_CLOEXEC)
            guard descriptor >= 0 else { throw SystemError.make("\(name) could not be written", SystemError.last) }
            output = OutputFile(descriptor: descriptor, name: name)
            place = .direct
        } else {
            // Links are followed.
            let target = exists ? URL(argument: path).resolvingSymlinksInPath().path : path
            let file = try PartialFile(target: target, name)
            output = OutputFile(descriptor: file.descriptor, name: name)
            place = .beside(file)
        }
    }

    deinit { if case .direct = place { close(output.descriptor) } }

    /// Moves the file to its path, complete and synced to disk.
    func commit() throws(StorageError) {
        try output.flush()
        if case .beside(let file) = place { try file.commit() }
    }
}
