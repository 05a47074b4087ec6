package import StorageProtocol

/// A generation in the making, beside the current one. Other processes leave its folders alone as long as this object
/// lives. If it is neither switched to nor discarded, it is swept at a later open.
package final class StagedGeneration: Sendable {
    /// Where the engine's new files are built.
    package var dataDirectory: String { data.path }
    /// Where the new blobs are written; nil if the current ones stay.
    package var blobDirectory: String? { blobs?.path }

    let folder: DatabaseFolder
    let data: NewGeneration
    let blobs: NewGeneration?
    let blobChange: DatabaseFolder.BlobChange
    /// The manifest when this was begun. Another switch since then makes this one void.
    let base: ManifestCopy
    private let isOver = Locked(false)

    init(
        _ folder: DatabaseFolder,
        base: ManifestCopy,
        data: NewGeneration,
        blobs: NewGeneration?,
        _ blobChange: DatabaseFolder.BlobChange
    ) {
        self.folder = folder
        self.base = base
        self.data = data
        self.blobs = blobs
        self.blobChange = blobChange
    }

    /// Returns the size of all its files in bytes. Complexity: one look-up per file.
    package func bytesOnDisk() throws(StorageError) -> UInt64 {
        var bytes: UInt64 = 0
        for made in [data, blobs].compactMap({ $0 }) { bytes += try DirectoryTree.size(of: made.path) }
        return bytes
    }

    /// Removes what was built. It must not be open. Does nothing after the switch, and at a second call.
    package func discard() {
        guard end() else { return }
        // After an uncertain commit both generations stay, and the next open decides.
        guard folder.state.withLock({ $0.failure == nil }), folder.isInPlace else { return }
        // A leftover of another conversion stays.
        if ConversionFile.read(in: folder.path)?.place.data == data.number { ConversionFile.remove(in: folder.path) }
        for made in [data, blobs].compactMap({ $0 }) { _ = try? Sweep.removeLocked(folder.path, made.name, made.lock) }
    }

    /// Called when the new generation has become the current one, so that it is not removed.
    func keep() {
        guard end() else { return }
        // For this generation, or for one that can no longer be switched to.
        ConversionFile.remove(in: folder.path)
        for made in [data, blobs].compactMap({ $0 }) {
            GenerationMark.remove(folder.path, made.name)
            made.lock.release()
        }
    }

    func requireUnused() throws(StorageError) {
        guard !isOver.withLock({ $0 }), folder.state.withLock({ $0.manifest }) == base else {
            throw StorageError(.conflict, "Another generation has taken over meanwhile; this one was not taken.")
        }
    }

    private func end() -> Bool {
        isOver.withLock { isOver in
            defer { isOver = true }
            return !isOver
        }
    }
}

/// One folder of a generation that is being made.
struct NewGeneration: Sendable {
    var name: String
    var number: UInt64
    var path: String
    var lock: LockFile
}
