internal import Dispatch
internal import Foundation
internal import Settee

#if canImport(Darwin)
internal import Darwin
#elseif canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#endif

/// A file that appears whole, or not at all: written beside its place and renamed at the end, readable by its owner alone.
///
/// What is no regular file (a device, a pipe) is written to as it stands.
final class AtomicFile {
    let output: OutputFile
    /// Where the file shall be; links are followed.
    private let path: String
    /// What is written meanwhile, nil where the target is written to directly.
    private let temporary: String?
    private var isFinished = false
    private var signals: [any DispatchSourceSignal] = []

    init(path: String) throws(StorageError) {
        let name = "The file '\(path)'"
        var status = stat()
        let exists = unsafe stat(path, &status) == 0
        if exists, status.st_mode & S_IFMT == S_IFDIR { throw SystemError.make("\(name) could not be written", EISDIR) }
        let descriptor: Int32
        if exists, status.st_mode & S_IFMT != S_IFREG {
            self.path = path
            temporary = nil
            descriptor = unsafe open(path, O_WRONLY | O_CLOEXEC)
        } else {
            let target = exists ? URL(filePath: path).resolvingSymlinksInPath().path : path
            let beside = "\(target).\(UUID().uuidString.prefix(8)).partial"
            self.path = target
            temporary = beside
            descriptor = unsafe open(beside, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        }
        guard descriptor >= 0 else { throw SystemError.make("\(name) could not be written", SystemError.last) }
        output = OutputFile(descriptor: descriptor, name: name)
        removeWhenInterrupted()
    }

    deinit {
        for source in signals { source.cancel() }
        close(output.descriptor)
        if !isFinished, let temporary { _ = unsafe unlink(temporary) }
    }

    /// Puts the file in its place, complete and on the disk.
    func commit() throws(StorageError) {
        try output.flush()
        guard let temporary else {
            isFinished = true
            return
        }
        guard fsync(output.descriptor) == 0 else {
            throw SystemError.make("The file '\(path)' could not be written", SystemError.last)
        }
        guard unsafe rename(temporary, path) == 0 else {
            throw SystemError.make("The file '\(path)' could not be put in place", SystemError.last)
        }
        isFinished = true
    }

    /// Ctrl-C leaves no half file either.
    private func removeWhenInterrupted() {
        guard let temporary else { return }
        for number in [SIGINT, SIGTERM, SIGHUP] {
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler {
                _ = unsafe unlink(temporary)
                signal(number, SIG_DFL)
                raise(number)
            }
            source.resume()
            signals.append(source)
        }
    }
}
