package import StorageProtocol

/// One database folder, held open: its manifest, its locks between processes, and the place of its present generation.
///
/// docs/internals/generation-switch.md describes the protocol. All requirements may be called from any thread, but for
/// one: the caller sees to it that one thread at a time holds the writer lock, and that one switch runs at a time.
/// After `close` every call throws `notOpen` (503) or does nothing.
package final class DatabaseFolder: Sendable {
    /// How the folder is open, and how an engine must open its files.
    package enum Access: Sendable, Equatable {
        case readWrite
        /// No writing. Other processes may write meanwhile: the engine takes part in its own locking and logs.
        case readOnlyShared
        /// No writing, and nobody can write as long as this folder is open: `StorageOptions.immutable` is safe.
        case readOnlyImmutable
    }

    /// How long opening, switching and writing wait for another process where nothing else is said.
    package static let defaultTimeout = Duration.seconds(10)

    /// The folder's absolute path without symbolic links.
    package let path: String
    /// The same for every path that leads to this folder.
    package let identity: FileIdentity
    package let access: Access
    /// Whether it lies on a read-only file system.
    package let isOnReadOnlyMedium: Bool

    /// The files of the manifest that were damaged when the folder was opened.
    let damagedManifests: [String]
    let snapshots: SnapshotEpochs
    let state: Locked<State>

    struct State {
        var manifest: ManifestCopy
        /// Makes the MACs of the next manifests; nil for a plain database.
        var seal: (any ManifestSealing)?
        /// Open as long as the folder is: a closed one that somebody still holds keeps no descriptor.
        var locks: HeldLocks
        var isClosed = false
        /// Between `lockWriter` and `unlockWriter`.
        var holdsWriter = false
        /// Whether the writer lock is held as long as the folder is open, since one process alone may write the present
        /// generation.
        var keepsWriter: Bool
        /// Nil where the writer lock has not been given away since the folder was opened.
        var turns: WriterTurns?
        /// Set where a switch failed so that nobody can tell which generation a power loss would leave.
        var failure: StorageError?
    }

    init(_ parts: consuming Parts) {
        path = parts.path
        identity = parts.identity
        access = parts.access
        isOnReadOnlyMedium = parts.isOnReadOnlyMedium
        damagedManifests = parts.damagedManifests
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

    /// What opening has gathered.
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

        var dataDirectory: String { path + "/" + manifest.manifest.dataName }
    }

    /// The files on which the locks between processes are; those that are not there, or could not be made, are nil.
    struct HeldLocks {
        var gate: LockFile?
        var lock: LockFile?
        var writer: LockFile?
        var holder: OwnHolder?
        /// Held where no `holders/` file could be made: says that somebody is there, without a name.
        var anonymousMark: LockFile?

        /// Whether nobody can switch or delete as long as these are held.
        var keepsOthersAway: Bool { gate != nil && lock != nil }
    }

    /// All nil once the folder is closed.
    var locks: HeldLocks { state.withLock { $0.locks } }

    /// The manifest as this process knows it: only this process can change it while the folder is open.
    package var manifest: Manifest { state.withLock { $0.manifest.manifest } }
    package var storageType: StorageType { manifest.storageType }
    package var databaseUUID: String { manifest.databaseUUID }
    /// Where the present generation of the engine's files lies. Changes with `switchGeneration`.
    package var dataDirectory: String { path + "/" + manifest.dataName }
    /// Where the present generation of blobs lies. Changes with `switchGeneration`.
    package var blobDirectory: String { path + "/" + manifest.blobName }
    package var isClosed: Bool { state.withLock { $0.isClosed } }

    /// The blob store of the present generation.
    package func makeBlobStore(codec: any BlobCodec = PlainBlobCodec()) throws(StorageError) -> FileBlobStore {
        try FileBlobStore(directory: blobDirectory, readOnly: access != .readWrite, codec: codec)
    }

    /// Bytes of all files in the folder. Complexity: one look at each file.
    package func bytesOnDisk() throws(StorageError) -> UInt64 { try DirectoryTree.size(of: path) }

    /// Releases every lock. The engine must have closed its files before. A second call does nothing.
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
