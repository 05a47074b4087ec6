package import StorageProtocol

extension FileBlobStore {
    private var trashPath: String { directory + "/" + FileBlobStore.trashName }

    private func trashedPath(_ name: String, _ epoch: UInt64) -> String {
        let digits = String(epoch)
        return trashPath + "/" + String(repeating: "0", count: 20 - digits.utf8.count) + digits + "-" + name
    }

    package func moveToTrash(_ name: String, epoch: UInt64) throws(StorageError) -> Bool {
        guard !isReadOnly else { throw .readOnly }
        guard try size(name) != nil else { return false }
        _ = try Files.makeDirectoryIfMissing(trashPath)
        try Files.rename(path(name), to: trashedPath(name, epoch))
        return true
    }

    package func restore(_ name: String) throws(StorageError) -> Bool {
        guard !isReadOnly else { throw .readOnly }
        guard let epoch = try newestEpoch(name) else { return false }
        // The group's folder is never removed, and what is in the trash was in it.
        try Files.rename(trashedPath(name, epoch), to: path(name))
        try syncGroup(of: name)
        return true
    }

    /// Opens a blob that is in the trash, for a snapshot from before it went there. Nil where it is not.
    package func trashedReader(_ name: String) throws(StorageError) -> (any BlobReader)? {
        guard BlobName.isValid(name), let epoch = try newestEpoch(name) else { return nil }
        return try FileBlobReader(trashedPath(name, epoch))
    }

    package func emptyTrash(before epoch: UInt64) throws(StorageError) -> (blobs: Int, bytes: UInt64) {
        guard !isReadOnly else { throw .readOnly }
        var blobs = 0
        var bytes: UInt64 = 0
        for entry in try trash() where entry.epoch < epoch {
            let path = trashedPath(entry.name, entry.epoch)
            guard let info = try Files.info(path), try Files.remove(path) else { continue }
            blobs += 1
            bytes += info.size
        }
        return (blobs, bytes)
    }

    package func trash() throws(StorageError) -> [(name: String, epoch: UInt64)] {
        guard try Files.info(trashPath) != nil else { return [] }
        return try Files.names(in: trashPath).compactMap { entry in
            let parts = entry.split(separator: "-", omittingEmptySubsequences: false)
            guard parts.count == 2, parts[0].utf8.count == 20, let epoch = UInt64(parts[0]),
                BlobName.isValid(String(parts[1]))
            else { return nil }
            return (String(parts[1]), epoch)
        }
    }

    private func newestEpoch(_ name: String) throws(StorageError) -> UInt64? {
        try trash().filter { $0.name == name }.map(\.epoch).max()
    }
}
