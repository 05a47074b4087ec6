package import SetteeStorageFiles
package import StorageProtocol

/// The files of attachments that belong to a generation, and how contents are encoded in them. Generations with the
/// same files share this object.
package final class GenerationBlobs: Sendable {
    /// The folder's path when the generation was opened; nil: there is none.
    let directory: String?
    /// Encodes and decodes contents with the generation's keys.
    let codec: any BlobCodec
    private let folder: DatabaseFolder?
    private let opened = Locked<FileBlobStore?>(nil)

    init(of folder: DatabaseFolder?, codec: any BlobCodec) {
        self.codec = codec
        self.folder = folder
        directory = folder?.blobDirectory
    }

    /// The store of the files, opened on first use.
    ///
    /// Files are found by their paths, so that those of another database would be read, moved and deleted if the
    /// folder was replaced.
    ///
    /// - Throws: `notImplemented` (501) if there is no folder for files; `notOpen` (503) if it was removed or replaced.
    package func files() throws(StorageError) -> FileBlobStore {
        guard let directory else {
            throw StorageError(.notImplemented, "This storage type has no place for attachments.")
        }
        try folder?.requireInPlace()
        return try opened.withLock { (opened) throws(StorageError) in
            if let opened { return opened }
            let store = try FileBlobStore(directory: directory, readOnly: folder?.access != .readWrite, codec: codec)
            opened = store
            return store
        }
    }
}
