internal import Foundation
internal import Settee
internal import SetteeSystemLibrary

/// A file that appears whole, or not at all: written without a name where the system can do that, else beside its
/// place, and renamed at the end; readable by its owner alone. What a kill leaves is removed by the next one for the
/// same place.
///
/// What is no regular file (a device, a pipe) is written to as it stands.
final class AtomicFile {
    let output: OutputFile
    private let place: Place

    private enum Place {
        /// The target is written to directly.
        case direct
        /// What is written goes to the target in the end.
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

    /// Puts the file in its place, complete and on the disk.
    func commit() throws(StorageError) {
        try output.flush()
        if case .beside(let file) = place { try file.commit() }
    }
}
