internal import CSetteeStorageFiles
internal import Dispatch
package import StorageProtocol

/// The process's limit on open files.
package enum OpenFileLimit {
    /// What an open database may need at once: connections, attachments, and the three files of the system's event
    /// queue.
    private static let reserve: Int32 = 8

    /// Makes sure that the event queue of the process has its files, and that some are left. The queue would end the
    /// process if it could not open them.
    ///
    /// - Throws: `fileSystem` (498) if the limit is too low.
    /// - Complexity: Three system calls if the limit is far away; near it, some milliseconds at the first time.
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
