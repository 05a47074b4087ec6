internal import Dispatch
internal import Foundation
internal import Settee
internal import SetteeSystemLibrary

/// A file that gets its final name once it is complete. It is locked while it is written, so that other processes can
/// tell it from the file of a killed process.
final class PartialFile {
    let descriptor: Int32
    private let target: String
    /// The name in messages.
    private let name: String
    /// Its name in the target's folder, now or for a moment at the end.
    private let partial: String
    private var hasName: Bool
    private var isFinished = false
    private var signals: [any DispatchSourceSignal] = []

    init(target: String, _ name: String) throws(StorageError) {
        self.target = target
        self.name = name
        let leftover = PartialName(target: target)
        leftover.sweep()
        if let nameless = PartialFile.openWithoutName(in: leftover.folder) {
            hasName = false
            partial = leftover.new()
            descriptor = nameless
            _ = flock(descriptor, LOCK_EX | LOCK_NB)
            return
        }
        hasName = true
        var new: (path: String, descriptor: Int32)
        repeat {
            let path = leftover.new()
            new = (path, unsafe open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600))
            // Repeated if another process that writes the same target removed it as a leftover before it was locked.
        } while new.descriptor >= 0 && !PartialFile.keep(new.descriptor)
        (partial, descriptor) = new
        guard descriptor >= 0 else { throw SystemError.make("\(name) could not be written", SystemError.last) }
        removeWhenInterrupted()
    }

    /// Locks a file that was just created. Closes it if it has been removed since.
    private static func keep(_ descriptor: Int32) -> Bool {
        var status = stat()
        if flock(descriptor, LOCK_EX | LOCK_NB) == 0, unsafe fstat(descriptor, &status) == 0, status.st_nlink > 0 {
            return true
        }
        close(descriptor)
        return false
    }

    deinit {
        for source in signals { source.cancel() }
        close(descriptor)
        if !isFinished, hasName { _ = unsafe unlink(partial) }
    }

    /// Renames the file to the target, replacing it, complete and synced to disk.
    func commit() throws(StorageError) {
        guard fsync(descriptor) == 0 else { throw SystemError.make("\(name) could not be written", SystemError.last) }
        if !hasName {
            let linked = unsafe linkat(AT_FDCWD, PartialFile.link(descriptor), AT_FDCWD, partial, AT_SYMLINK_FOLLOW)
            guard linked == 0 else { throw SystemError.make("\(name) could not be put in place", SystemError.last) }
            hasName = true
        }
        guard unsafe rename(partial, target) == 0 else {
            throw SystemError.make("\(name) could not be put in place", SystemError.last)
        }
        isFinished = true
        let folder = unsafe open(PartialName(target: target).folder, O_RDONLY | O_CLOEXEC)
        guard folder >= 0 else { return }
        _ = fsync(folder)
        close(folder)
    }

    /// Returns nil if the system or the file system does not support this, or could not name the file afterwards.
    private static func openWithoutName(in folder: String) -> Int32? {
        #if os(Linux)
        // O_TMPFILE, a macro that Swift cannot import.
        let descriptor = unsafe open(folder, O_WRONLY | 0o20_000_000 | O_DIRECTORY | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { return nil }
        var status = stat()
        if unsafe stat(link(descriptor), &status) == 0 { return descriptor }
        close(descriptor)
        #endif
        return nil
    }

    private static func link(_ descriptor: Int32) -> String { "/proc/self/fd/\(descriptor)" }

    /// Removes the partial file if the program is interrupted, as by Ctrl-C.
    private func removeWhenInterrupted() {
        let partial = partial
        for number in [SIGINT, SIGTERM, SIGHUP] {
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler {
                _ = unsafe unlink(partial)
                signal(number, SIG_DFL)
                raise(number)
            }
            source.resume()
            signals.append(source)
        }
    }
}
