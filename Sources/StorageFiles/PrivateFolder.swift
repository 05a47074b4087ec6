package import StorageProtocol

/// A folder for temporary files that only its owner can read. It has a staging name and is locked: what a kill leaves
/// of it is swept like everything else that is half made.
package final class PrivateFolder {
    package let path: String
    private let lock: LockFile
    private var isThere = true

    /// - Parameter parent: The folder in which it is created. What killed processes have left there is swept first.
    /// - Throws: `fileSystem` (498), `readOnly` (403), `full` (507).
    package init(in parent: String) throws(StorageError) {
        guard let resolved = try Files.resolve(parent.isEmpty ? "." : parent) else {
            throw StorageError(.fileSystem, "The folder '\(parent)' does not exist. Make it first.")
        }
        _ = try? StagingSweep.sweep(resolved)
        let (name, lock) = try Staging.makeDirectory(in: resolved, mode: 0o700)
        path = resolved + "/" + name
        self.lock = lock
    }

    deinit { remove() }

    /// Removes it with all its content. What cannot be removed now is swept later. A second call does nothing.
    package func remove() {
        guard isThere else { return }
        isThere = false
        try? DirectoryTree.remove(path)
        lock.release()
    }
}
