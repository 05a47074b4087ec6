package import StorageProtocol

/// A generation in the making, beside the present one. Other processes leave its folders alone as long as this lives;
/// what is neither switched to nor discarded is swept at a later open.
package final class StagedGeneration: Sendable {
    /// Where the engine's new files are to be built.
    package var dataDirectory: String { data.path }
    /// Where the new blobs are to be; nil where the present ones stay.
    package var blobDirectory: String? { blobs?.path }

    let folder: DatabaseFolder
    let data: NewGeneration
    let blobs: NewGeneration?
    let blobChange: DatabaseFolder.BlobChange
    /// What the folder said when this was begun: another switch since makes this one void.
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

    /// Bytes of all its files. Complexity: one look at each.
    package func bytesOnDisk() throws(StorageError) -> UInt64 {
        var bytes: UInt64 = 0
        for made in [data, blobs].compactMap({ $0 }) { bytes += try DirectoryTree.size(of: made.path) }
        return bytes
    }

    /// Removes what was built. Nothing may have it open. After the switch, and at a second call, nothing happens.
    package func discard() {
        guard end() else { return }
        // After an uncertain commit both generations stay, for the next open to decide.
        guard folder.state.withLock({ $0.failure == nil }) else { return }
        // A left-over of another conversion stays what it is.
        if ConversionFile.read(in: folder.path)?.place.data == data.number { ConversionFile.remove(in: folder.path) }
        for made in [data, blobs].compactMap({ $0 }) { _ = try? Sweep.removeLocked(folder.path, made.name, made.lock) }
    }

    /// The new generation is the present one: it is nobody's to remove.
    func keep() {
        guard end() else { return }
        // Of this generation, or of one that cannot be switched to any more.
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
