package import StorageProtocol

/// An open database folder: its manifest, its locks between processes, and the location of its current generation.
///
/// The protocol is described in docs/internals/generation-switch.md. All methods may be called from any thread, with
/// one restriction: the caller ensures that only one thread at a time holds the writer lock, and that only one switch
/// runs at a time. After `close` every call throws `notOpen` (503) or does nothing.
package final class DatabaseFolder: Sendable {
    /// How the folder is open, and how an engine must open its files.
    package enum Access: Sendable, Equatable {
        case readWrite
        /// No writing. Other processes may write at the same time, so the engine uses its own locking and logs.
        case readOnlyShared
        /// No writing, and no process can write as long as this folder is open: `StorageOptions.immutable` is safe.
        case readOnlyImmutable
        /// No writing, while another process has the store to itself: `StorageOptions.besideWriter`.
        case readOnlyBesideWriter
    }

    /// The default time to wait for another process when opening, switching and writing.
    package static let defaultTimeout = Duration.seconds(10)

    /// The folder's absolute path without symbolic links.
    package let path: String
    /// The same for every path that leads to this folder.
    package let identity: FileIdentity
    /// Of the lock file that this process has open; nil if there is none.
    let lockIdentity: FileIdentity?
    package let access: Access
    /// Whether it is on a read-only file system.
    package let isOnReadOnlyMedium: Bool

    /// The files of the manifest that were damaged when the folder was opened.
    let damagedManifests: [String]
    /// The files of the manifest that were not written with this database's key when the folder was opened.
    let foreignManifests: [String]
    let snapshots: SnapshotEpochs
    let state: Locked<State>

    struct State {
        var manifest: ManifestCopy
        /// Makes the MACs of later manifests; nil for a plain database.
        var seal: (any ManifestSealing)?
        /// The open lock files, released when the folder is closed, so that a closed folder that is still referenced
        /// keeps no descriptor.
        var locks: HeldLocks
        var isClosed = false
        /// Between `lockWriter` and `unlockWriter`.
        var holdsWriter = false
        /// Whether the writer lock is held as long as the folder is open, because only one process may write the
        /// current generation.
        var keepsWriter: Bool
        /// Nil if the writer lock has not been released since the folder was opened.
        var turns: WriterTurns?
        /// Set if a switch failed in such a way that it is unknown which generation a power loss would leave.
        var failure: StorageError?
    }

    init(_ parts: consuming Parts) {
        path = parts.path
        identity = parts.identity
        lockIdentity = parts.locks.lock.flatMap { try? $0.descriptor.info($0.path).identity }
        access = parts.access
        isOnReadOnlyMedium = parts.isOnReadOnlyMedium
        damagedManifests = parts.damagedManifests
        foreignManifests = parts.foreignManifests
        snapshots = SnapshotEpochs(page: parts.locks.holder?.page)
        state = Locked(
            State(
                manifest: parts.manifest,
                seal: parts.seal,
                locks: parts.locks,
                keepsWriter: parts.keepsWriter,
                turns: parts.turns
            )
        )
    }

    deinit { close() }

    /// What opening has collected.
    struct Parts {
        var path: String
        var identity: FileIdentity
        var manifest: ManifestCopy
        var seal: (any ManifestSealing)?
        var access: Access
        var isOnReadOnlyMedium: Bool
        var locks: HeldLocks
        var turns: WriterTurns?
        var keepsWriter = false
        var damagedManifests: [String] = []
        var foreignManifests: [String] = []

        var dataDirectory: String { path + "/" + manifest.manifest.dataName }
    }

    /// The files that carry the locks between processes. Nil for those that do not exist or could not be created.
    struct HeldLocks {
        var gate: LockFile?
        var lock: LockFile?
        var writer: LockFile?
        var holder: OwnHolder?
        /// Held if no `holders/` file could be created. Shows that there is a reader, without a name.
        var anonymousMark: LockFile?

        /// Whether no other process can switch or delete as long as these are held.
        var keepsOthersAway: Bool { gate != nil && lock != nil }
    }

    /// All nil once the folder is closed.
    var locks: HeldLocks { state.withLock { $0.locks } }

    /// The manifest as known to this process. Only this process can change it while the folder is open.
    package var manifest: Manifest { state.withLock { $0.manifest.manifest } }
    package var storageType: StorageType { manifest.storageType }
    package var databaseUUID: String { manifest.databaseUUID }
    /// The path of the engine's files in the current generation. Changes with `switchGeneration`.
    package var dataDirectory: String { path + "/" + manifest.dataName }
    /// The path of the blobs in the current generation. Changes with `switchGeneration`.
    package var blobDirectory: String { path + "/" + manifest.blobName }
    package var isClosed: Bool { state.withLock { $0.isClosed } }

    /// Opens the blob store of the current generation.
    package func makeBlobStore(codec: any BlobCodec = PlainBlobCodec()) throws(StorageError) -> FileBlobStore {
        try FileBlobStore(directory: blobDirectory, readOnly: access != .readWrite, codec: codec)
    }

    /// Returns the size of all files in the folder in bytes. Complexity: one look-up per file.
    package func bytesOnDisk() throws(StorageError) -> UInt64 { try DirectoryTree.size(of: path) }

    /// Releases all locks. The engine must have closed its files before. A second call does nothing.
    package func close() {
        let held = state.withLock { state -> HeldLocks? in
            guard !state.isClosed else { return nil }
            state.isClosed = true
            defer { state.locks = HeldLocks() }
            return state.locks
        }
        guard let held else { return }
        held.writer?.release()
        held.holder?.remove()
        held.anonymousMark?.release()
        held.lock?.release()
    }

    func requireOpen() throws(StorageError) {
        guard !isClosed else { throw DatabaseFolder.closed }
    }

    static let closed = StorageError(.notOpen, "The database was closed. Open it again.")
}
