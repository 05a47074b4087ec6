internal import CSetteeStorageFiles

extension DatabaseFolder {
    /// What root makes in a folder belongs to the folder's owner, if the system lets root give files away. Without that
    /// it may not: in a container without the right to (CAP_CHOWN), or on another machine's disk.
    ///
    /// - Returns: What the owner of the folder should know: files of this process will be root's. Nil if they are the
    ///   owner's, or if this process is not root's.
    package var ownerWarning: String? {
        guard csf_is_root() != 0, let holder = locks.holder, let own = try? holder.info(),
            let owner = try? Files.info(path), own.owner != owner.owner
        else { return nil }
        return "'\(path)' belongs to user \(owner.owner), and what this process makes in it belongs to user "
            + "\(own.owner): the system did not let it give a file away. Its owner may not be able to open the database "
            + "any more. Change the owner of all files in it to that of the folder (chown -R), and work on it as its owner."
    }
}
