internal import CSetteeStorageFiles
internal import Dispatch
package import StorageProtocol

/// The process's limit on open files.
package enum OpenFileLimit {
    /// What an open database may need at once: connections, attachments, and the three of the system's event queue.
    private static let reserve: Int32 = 8

    /// Sees to it that the event queue of the process, which ends the process where it cannot open its own files, has
    /// them, and that some are left.
    ///
    /// - Throws: `fileSystem` (498) where the limit is too low.
    /// - Complexity: three system calls where the limit is far; at the first time near it, some milliseconds.
    package static func requireSome() throws(StorageError) {
        let rc = csf_free_descriptors(reserve)
        guard rc >= 0 else {
            throw StorageError(
                .fileSystem,
                "Too few files may be opened: an open database needs \(reserve) more. Close files, or raise the limit "
                    + "on open "
                    + "files (ulimit -n), and retry.",
                cause: SystemError(errno: -rc)
            )
        }
        if rc == 0 { _ = eventQueue }
    }

    /// Timers open files when the first one is set, and keep them.
    private static let eventQueue: Void = {
        let isSet = DispatchSemaphore(value: 0)
        DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(1)) { isSet.signal() }
        isSet.wait()
    }()
}
