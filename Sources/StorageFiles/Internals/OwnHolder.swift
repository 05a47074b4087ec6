internal import StorageProtocol

/// The `holders/` file of one open folder. It shows which process has the folder open, and what it reads.
final class OwnHolder: Sendable {
    let name: String
    let page: SharedPage
    private let lock: LockFile

    init(folder: String) throws(StorageError) {
        let directory = folder + "/" + Holders.directoryName
        if try !Holders.entry(folder).isFolder() { _ = try Files.makeDirectoryIfMissing(directory) }
        let (path, lock) = try Staging.makeFile(in: directory, name: Host.uniqueName)
        do {
            let page = HolderPage.make(process: Host.process, program: Host.program)
            try unsafe lock.descriptor.write(page.span.bytes, at: 0, path)
            self.page = try SharedPage(lock.descriptor, path)
        } catch {
            _ = try? Files.remove(path)
            throw error
        }
        name = String(path.dropFirst(directory.utf8.count + 1))
        self.lock = lock
    }

    func info() throws(StorageError) -> FileInfo { try lock.descriptor.info(lock.path) }

    func setFlags(_ flags: UInt64) { page[HolderPage.flagsWord] = flags }

    /// Removes the file while it is still locked, so that it is never seen unlocked.
    func remove() {
        _ = try? Files.remove(lock.path)
        lock.release()
    }
}
