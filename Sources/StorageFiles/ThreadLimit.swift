internal import CSetteeStorageFiles
package import StorageProtocol

/// The room that the process has for threads.
package enum ThreadLimit {
    /// The threads of timers and background work that an open database may need at once.
    private static let reserve: Int32 = 4
    /// Whether the threads were there once. The system keeps and reuses them.
    private static let wereThere = Locked(false)

    /// Makes sure that threads for background work can be started. Dispatch would try for ever, once a second, and the
    /// caller would wait as long.
    ///
    /// - Throws: `fileSystem` (498) if there is no room for them.
    /// - Complexity: Starts and ends a few threads at the first time, about 0.1 ms; nothing afterwards.
    package static func requireSome() throws(StorageError) {
        guard !wereThere.withLock({ $0 }) else { return }
        let rc = csf_free_threads(reserve)
        guard rc == 0 else {
            throw StorageError(
                .fileSystem,
                "No threads can be started: an open database needs \(reserve). Raise the limit on the process's memory "
                    + "(ulimit -v) or on its user's threads (ulimit -u), and retry.",
                cause: SystemError(errno: -rc)
            )
        }
        wereThere.withLock { $0 = true }
    }
}
