internal import CSetteeStorageFiles
internal import StorageProtocol

/// A locked folder of finished contents that wait for their revisions. Its lock stands for all of them: a sweep removes
/// the folder as a whole once the process has ended. It is removed with the last reference.
final class StagedFolder: Sendable {
    let path: String
    private let lock: LockFile

    init(in directory: String) throws(StorageError) {
        while true {
            let path = directory + "/" + Staging.name()
            // Nil: a sweep was faster than the lock.
            guard let lock = try Staging.makeDirectory(path) else { continue }
            self.path = path
            self.lock = lock
            return
        }
    }

    deinit {
        // Whatever is still in it goes with a sweep.
        _ = unsafe csf_unlink(CSF_CWD, path, 1)
        lock.release()
    }
}
