internal import CSetteeLMDB
internal import SetteeSystemLibrary
internal import StorageProtocol
internal import Synchronization

extension LMDBEnvironment {
    /// Called before a transaction begins. LMDB never shortens its file. If other means have cut it, reading what is
    /// missing from the map would end the process with SIGBUS.
    ///
    /// A cut while a transaction reads still does.
    ///
    /// - Throws: `corrupt` (591) if the file is shorter than it was.
    /// - Complexity: One system call.
    func requireWhole() throws(StorageError) {
        // Before the look at the file: another thread may see it grow in between.
        let known = fileBytes.load(ordering: .acquiring)
        var descriptor: mdb_filehandle_t = -1
        var facts = stat()
        guard unsafe mdb_env_get_fd(handle, &descriptor) == 0, unsafe fstat(descriptor, &facts) == 0 else { return }
        let present = UInt64(max(0, facts.st_size))
        guard present >= known else {
            suspect()
            throw .corrupt("The file '\(path)' was cut from \(known) to \(present) bytes while it was open")
        }
        if present > known { fileBytes.store(present, ordering: .releasing) }
    }
}
