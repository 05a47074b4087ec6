package import StorageProtocol

/// Other programs may remove, move or replace an open folder. What is then written into the open files is not found at
/// the path, and what is written by path goes into another database.
extension DatabaseFolder {
    /// Whether the path still leads to this folder, as it did when it was opened; true if that cannot be found out.
    ///
    /// The lock file tells. This process has it open, so that no other file gets its number, as a new folder can get
    /// that of a removed one.
    ///
    /// - Complexity: One system call.
    package var isInPlace: Bool {
        guard let lockIdentity else { return true }
        do {
            return try Files.info(path + "/lock", follow: false)?.identity == lockIdentity
        } catch {
            return true
        }
    }

    /// Whether there is nothing at the path any more.
    package var isRemoved: Bool {
        do {
            return try Files.info(path, follow: false) == nil
        } catch {
            return false
        }
    }

    /// - Throws: `notOpen` (503) if the path no longer leads to this folder.
    package func requireInPlace() throws(StorageError) {
        guard !isInPlace else { return }
        throw StorageError(
            .notOpen,
            isRemoved
                ? "The folder of the database was removed or moved while it was open, so nothing was written. Close the "
                    + "database, put the folder back or make a new database, and open that."
                : "The folder of the database was replaced while it was open, so nothing was written. Close the "
                    + "database and open it again: that opens the new folder."
        )
    }
}
